"""The version: of the distribution too, which reads it here."""

VERSION = "0.1.0"
