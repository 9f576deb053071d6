"""The JSON interface under `/api/v1`: what notebooks, scripts and other programs ask."""
