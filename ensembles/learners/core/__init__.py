"""What base models share: the operations of a member, the learner's base classes, examples as kernels read them."""
