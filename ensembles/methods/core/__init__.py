"""What methods share: members that vote, one pass over a stream, the single model."""
