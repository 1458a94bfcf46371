package migrations

// Explain is explainMigrationError.
var Explain = explainMigrationError //nolint:gochecknoglobals // for tests of the package from outside
