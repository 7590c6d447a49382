"""The real clp-s as a peer, a naive evaluator of our query language, and random documents and queries.

What was learnt about the peer beyond the format's pages: NOTES.md."""
