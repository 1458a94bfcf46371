package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
)

// Load reads the configuration from environ, which has the form of os.Environ. extra are the variables that other
// packages declare. An empty variable counts as not set. The error has a line with an example for each invalid
// variable.
func Load(environ []string, extra []Variable) (*Config, error) {
	return load(environ, extra, os.Geteuid() == 0)
}

// load reads the configuration as Load does. Some defaults depend on whether the process runs as root.
func load(environ []string, extra []Variable, isRoot bool) (*Config, error) {
	given := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		name, ours := strings.CutPrefix(name, Prefix)
		if ours && value != "" {
			given[name] = value
		}
	}
	cfg := &Config{given: given, extra: extra, Network: newNetworkValues(given, extra)}
	if err := errors.Join(checkUnknownVariables(cfg), parseGivenIntoFields(cfg)); err != nil {
		return nil, err
	}
	if err := setDerivedDefaultsAndNormalize(cfg, isRoot); err != nil {
		return nil, err
	}
	if err := validate(cfg); err != nil {
		return nil, err
	}
	return cfg, nil
}

// parseGivenIntoFields sets the fields of cfg from cfg.given. It converts the parser's errors, which name fields, to
// errors about variables.
func parseGivenIntoFields(cfg *Config) error {
	err := env.ParseWithOptions(cfg, env.Options{Environment: cfg.given})
	all := env.AggregateError{}
	if err == nil || !errors.As(err, &all) {
		return err
	}
	byName := map[string]field{}
	for _, f := range listFields(cfg) {
		byName[f.goName] = f
	}
	var wrong []error
	for _, err := range all.Errors {
		p := env.ParseError{}
		if !errors.As(err, &p) {
			return fmt.Errorf("read the configuration: %w", err)
		}
		f := byName[p.Name]
		wrong = append(wrong, f.errorf("is %q, but %v", cfg.given[f.name], simplifyParseError(f, p.Err)))
	}
	return errors.Join(wrong...)
}

// simplifyParseError replaces the messages of other packages' parsers with simpler ones.
func simplifyParseError(f field, err error) error {
	switch f.value.Interface().(type) {
	case time.Duration:
		return errors.New("this is not a duration")
	case slog.Level:
		return errors.New("this is not a log level")
	}
	return err
}

// setDerivedDefaultsAndNormalize sets the defaults that depend on other variables or on the machine. It also makes the
// data folder absolute, and removes slashes at the end of addresses.
func setDerivedDefaultsAndNormalize(cfg *Config, isRoot bool) error {
	if cfg.DataDir == "" {
		cfg.DataDir = "data"
		if isRoot {
			cfg.DataDir = "/var/lib/belfry"
		}
	}
	dir, err := filepath.Abs(cfg.DataDir)
	if err != nil {
		return fmt.Errorf("find the folder BELFRY_DATA_DIR=%s: %w", cfg.DataDir, err)
	}
	cfg.DataDir = dir
	if cfg.StorageURL.IsZero() {
		cfg.StorageURL = NewSecret("file:" + filepath.Join(dir, "media"))
	}
	if cfg.PublicURL == "" {
		_, port, _ := net.SplitHostPort(cfg.Addr) // validate checks it
		cfg.PublicURL = "http://localhost:" + port
	}
	cfg.PublicURL = strings.TrimSuffix(cfg.PublicURL, "/")
	if cfg.MediaURL == "" {
		cfg.MediaURL = cfg.PublicURL
	}
	cfg.MediaURL = strings.TrimSuffix(cfg.MediaURL, "/")
	cfg.NetworksURL = strings.TrimSuffix(cfg.NetworksURL, "/")
	return nil
}
