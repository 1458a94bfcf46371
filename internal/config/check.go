package config

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"belfry/internal/core"
)

// leastLease is the shortest allowed lease. A worker can renew it three times before it ends.
const leastLease = 6 * time.Second

// validate returns an error for each variable whose value can be parsed but not used.
func validate(cfg *Config) error {
	byName := map[string]field{}
	for _, f := range listFields(cfg) {
		byName[f.name] = f
	}
	c := checker{fields: byName}
	c.checkHostPortIfSet("ADDR", cfg.Addr)
	c.checkHostPortIfSet("METRICS_ADDR", cfg.MetricsAddr)
	c.checkURLIfSet("PUBLIC_URL", cfg.PublicURL, origin, "http", "https")
	c.checkURLIfSet("MEDIA_URL", cfg.given["MEDIA_URL"], withPath, "http", "https")
	c.checkURLIfSet("NETWORKS_URL", cfg.NetworksURL, withPath, "http", "https")
	c.checkURLIfSet("UPGRADE_URL", cfg.UpgradeURL, anything, "http", "https")
	c.checkURLIfSet("DATABASE_URL", cfg.DatabaseURL.Reveal(), loose, "postgres", "postgresql")
	c.checkURLIfSet("STORAGE_URL", cfg.StorageURL.Reveal(), loose, "file", "s3")
	c.checkURLIfSet("SMTP_URL", cfg.SMTPURL.Reveal(), loose, "smtp", "smtps")
	_, wrongSender := mail.ParseAddress(cfg.MailFrom)
	c.addProblemUnless("MAIL_FROM", wrongSender == nil || cfg.MailFrom == "" && cfg.SMTPURL.IsZero(),
		"must be an email address, with or without a name")
	c.addProblemUnless("ROLES", cfg.Roles != Roles{}, "must contain at least one role")
	c.addProblemUnless("RETRY_DELAYS", len(cfg.RetryDelays) > 0, "must contain at least one delay")
	c.addProblemUnless("LEASE", cfg.Lease >= leastLease, "is %v, but must be at least %v",
		cfg.Lease, leastLease)
	c.addProblemUnless("SWEEP", cfg.Sweep > 0, "must be greater than zero")
	c.addProblemUnless("RETENTION", cfg.Retention > 0, "must be greater than zero")
	c.addProblemUnless("UPLOAD_TTL", cfg.UploadTTL > 0, "must be greater than zero")
	c.addProblemUnless("LOG_FORMAT", slices.Contains([]string{"text", "json"}, cfg.LogFormat),
		"is %q, but must be text or json", cfg.LogFormat)
	if _, err := parseKeys(cfg.SecretKeys.Reveal()); err != nil && !cfg.SecretKeys.IsZero() {
		c.addProblem("SECRET_KEYS", "is not valid (%v)", err)
	}
	return errors.Join(append(c.wrong, checkCredentialPairs(cfg)...)...)
}

// checker collects the errors of variables.
type checker struct {
	fields map[string]field
	wrong  []error
}

func (c *checker) addProblem(name, format string, args ...any) {
	c.wrong = append(c.wrong, c.fields[name].errorf(format, args...))
}

// addProblemUnless adds a problem with the variable unless ok is true.
func (c *checker) addProblemUnless(name string, ok bool, format string, args ...any) {
	if !ok {
		c.addProblem(name, format, args...)
	}
}

func (c *checker) checkHostPortIfSet(name, value string) {
	if value == "" {
		return
	}
	_, port, err := net.SplitHostPort(value)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	c.addProblemUnless(name, err == nil, "is %q, but must be HOST:PORT", value)
}

// urlForm says which parts an address may and must have.
type urlForm int

// Forms of addresses, from the loosest to the strictest.
const (
	loose    urlForm = iota // any parts; the host is optional
	anything                // a host, and any other parts
	withPath                // a host, and optionally a path
	origin                  // only a host
)

// checkURLIfSet checks an address that is not empty. Its errors do not contain the value, because some addresses
// contain a password.
func (c *checker) checkURLIfSet(name, value string, form urlForm, schemes ...string) {
	if value == "" {
		return
	}
	u, err := url.Parse(value)
	switch {
	case err != nil || !slices.Contains(schemes, u.Scheme):
		begin := strings.Replace(strings.Join(schemes, ":// or ")+"://", "file://", "file:", 1) // file://FOLDER is not valid
		c.addProblem(name, "must be an address that begins with %s", begin)
	case form >= anything && u.Hostname() == "":
		c.addProblem(name, "has no host")
	case form >= anything && u.Port() != "" && !isPort(u.Port()):
		c.addProblem(name, "has a port above 65535")
	case form >= withPath && (u.RawQuery != "" || u.Fragment != "" || u.User != nil):
		c.addProblem(name, "must not have a user name, a query or a fragment")
	case form == origin && u.Path != "":
		c.addProblem(name, "must not have a path: Belfry needs its own host name")
	}
}

func isPort(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return err == nil
}

// checkCredentialPairs returns an error for each network with only one of its two credentials.
func checkCredentialPairs(cfg *Config) (wrong []error) {
	for _, v := range cfg.extra {
		stem, ok := strings.CutSuffix(v.Name, "_CLIENT_ID")
		if !ok {
			continue
		}
		id, secret := cfg.Network.Get(v.Name), cfg.Network.Get(stem+"_CLIENT_SECRET")
		if (id == "") == (secret == "") {
			continue
		}
		have, missing := v.Name, stem+"_CLIENT_SECRET"
		if id == "" {
			have, missing = missing, have
		}
		wrong = append(wrong,
			fmt.Errorf("%s%s is set, but %s%s is not: a network needs both, so set both or neither", Prefix,
				have, Prefix, missing))
	}
	return wrong
}

// testPrefix begins the names of variables that only tests use. The programs that tests start inherit these variables.
const testPrefix = "TEST_"

// checkUnknownVariables returns an error for each variable that is not one of Belfry's. Without this check, a typo
// would silently leave a default in effect.
func checkUnknownVariables(cfg *Config) error {
	known := map[string]bool{}
	for _, f := range listFields(cfg) {
		known[f.name] = true
	}
	for _, v := range cfg.extra {
		known[v.Name] = true
	}
	names := slices.Sorted(maps.Keys(known))
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(cfg.given)) {
		if known[name] || strings.HasPrefix(name, testPrefix) {
			continue
		}
		advice := "remove it"
		if nearest := core.NearestName(name, names); nearest != "" {
			advice += ", or change it to " + Prefix + nearest
		}
		wrong = append(wrong, fmt.Errorf("%s%s is not one of Belfry's variables: %s", Prefix, name, advice))
	}
	return errors.Join(wrong...)
}
