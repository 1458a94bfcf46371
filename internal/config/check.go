package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// leastLease leaves a worker time to renew its hold three times before it is lost.
const leastLease = 6 * time.Second

// check looks at values that parse and yet make no sense.
func check(cfg *Config) error {
	byName := map[string]field{}
	for _, f := range fields(cfg) {
		byName[f.name] = f
	}
	c := checker{fields: byName}
	c.address("ADDR", cfg.Addr)
	c.address("METRICS_ADDR", cfg.MetricsAddr)
	c.url("PUBLIC_URL", cfg.PublicURL, origin, "http", "https")
	c.url("MEDIA_URL", cfg.given["MEDIA_URL"], withPath, "http", "https")
	c.url("NETWORKS_URL", cfg.NetworksURL, withPath, "http", "https")
	c.url("UPGRADE_URL", cfg.UpgradeURL, anything, "http", "https")
	c.url("DATABASE_URL", cfg.DatabaseURL.Reveal(), loose, "postgres", "postgresql")
	c.url("STORAGE_URL", cfg.StorageURL.Reveal(), loose, "file", "s3")
	c.require("ROLES", cfg.Roles != Roles{}, "names no role")
	c.require("RETRY_DELAYS", len(cfg.RetryDelays) > 0, "names no delay")
	c.require("LEASE", cfg.Lease >= leastLease, "is %v, too short for a worker to keep its hold: it must be at least %v", cfg.Lease, leastLease)
	c.require("SWEEP", cfg.Sweep > 0, "must be above zero")
	c.require("RETENTION", cfg.Retention > 0, "must be above zero")
	c.require("UPLOAD_TTL", cfg.UploadTTL > 0, "must be above zero")
	c.require("LOG_FORMAT", slices.Contains([]string{"text", "json"}, cfg.LogFormat), "is %q, and can be text or json", cfg.LogFormat)
	if _, err := parseKeys(cfg.SecretKeys.Reveal()); err != nil {
		c.add("SECRET_KEYS", "is wrong (%v)", err)
	}
	return errors.Join(append(c.wrong, pairs(cfg)...)...)
}

type checker struct {
	fields map[string]field
	wrong  []error
}

func (c *checker) add(name, format string, args ...any) {
	c.wrong = append(c.wrong, c.fields[name].wrong(format, args...))
}

func (c *checker) require(name string, ok bool, format string, args ...any) {
	if !ok {
		c.add(name, format, args...)
	}
}

func (c *checker) address(name, value string) {
	if value == "" {
		return
	}
	_, port, err := net.SplitHostPort(value)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	c.require(name, err == nil, "is %q, which is not HOST:PORT", value)
}

// strictness says what an address may have behind its host.
type strictness int

const (
	loose    strictness = iota // not even a host
	anything                   // a host, then anything
	withPath                   // a host and a path
	origin                     // a host alone
)

// url never repeats the value, since some of them hold a password.
func (c *checker) url(name, value string, allow strictness, schemes ...string) {
	if value == "" {
		return
	}
	u, err := url.Parse(value)
	switch {
	case err != nil || !slices.Contains(schemes, u.Scheme):
		c.add(name, "must be an address of the kind %s", strings.Join(schemes, " or "))
	case allow >= anything && u.Host == "":
		c.add(name, "names no host")
	case allow >= withPath && (u.RawQuery != "" || u.Fragment != "" || u.User != nil):
		c.add(name, "must not have a user, a query or a fragment")
	case allow == origin && u.Path != "":
		c.add(name, "must not have a path: Belfry wants a host name of its own")
	}
}

// pairs refuses half of a network's credentials.
func pairs(cfg *Config) (wrong []error) {
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
		wrong = append(wrong, fmt.Errorf("%s%s is set and %s%s is not: a network wants both, so set the other one or remove this one", Prefix, have, Prefix, missing))
	}
	return wrong
}
