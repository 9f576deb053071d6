"""The Hoeffding tree (VFDT)."""
