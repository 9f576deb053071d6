"""Online boosting for many classes: OnlineMBBM and Adaboost.OLM."""
