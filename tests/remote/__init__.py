"""Servers on the loopback interface for the tests of archives at URLs."""
