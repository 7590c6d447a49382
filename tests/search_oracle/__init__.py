"""What queries mean on web archives, written down a second time and without fonds: records by warcio, HTTP, fields and
comparisons by the few lines of this package, from docs/reference/query-language.md and docs/reference/fields.md."""
