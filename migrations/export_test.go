package migrations

// Explain is explain.
var Explain = explain //nolint:gochecknoglobals // for tests of the package from outside
