"""Members that each see a part of the attributes."""
