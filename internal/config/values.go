package config

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Roles are what a process does: serve the dashboard and the API, publish, or both.
type Roles struct{ Web, Worker bool }

// UnmarshalText parses a list such as "web,worker".
func (r *Roles) UnmarshalText(text []byte) error {
	*r = Roles{}
	for _, word := range splitCommaList(text) {
		switch word {
		case "web":
			r.Web = true
		case "worker":
			r.Worker = true
		default:
			return fmt.Errorf("%q is not a role", word)
		}
	}
	return nil
}

// Rate is a number of requests per period.
type Rate struct {
	Count int
	Per   time.Duration
}

// UnmarshalText parses a rate such as "600/10m".
func (r *Rate) UnmarshalText(text []byte) error {
	count, per, ok := strings.Cut(string(text), "/")
	if !ok {
		return errors.New("the / is missing")
	}
	n, err := strconv.Atoi(strings.TrimSpace(count))
	if err != nil || n < 1 {
		return fmt.Errorf("%q is not a whole number greater than zero", count)
	}
	d, err := parsePositiveDuration(strings.TrimSpace(per))
	if err != nil {
		return err
	}
	*r = Rate{Count: n, Per: d}
	return nil
}

// Durations is a list of durations.
type Durations []time.Duration

// UnmarshalText parses a list such as "1m,5m".
func (ds *Durations) UnmarshalText(text []byte) error {
	*ds = nil
	for _, word := range splitCommaList(text) {
		d, err := parsePositiveDuration(word)
		if err != nil {
			return err
		}
		*ds = append(*ds, d)
	}
	return nil
}

// IPPrefixes is a list of address ranges.
type IPPrefixes []netip.Prefix

// UnmarshalText parses a list of ranges and single addresses.
func (ps *IPPrefixes) UnmarshalText(text []byte) error {
	*ps = nil
	for _, word := range splitCommaList(text) {
		if addr, err := netip.ParseAddr(word); err == nil {
			*ps = append(*ps, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(word)
		if err != nil {
			return fmt.Errorf("%q is neither an IP address nor a range such as 10.0.0.0/8", word)
		}
		*ps = append(*ps, p.Masked())
	}
	return nil
}

// NamedTexts are the contents of small text files, by name.
type NamedTexts map[string]string

var fileName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*$`)

// UnmarshalText parses a list such as "a.txt:one,b.txt:two".
func (fs *NamedTexts) UnmarshalText(text []byte) error {
	*fs = NamedTexts{}
	for _, word := range splitCommaList(text) {
		name, content, ok := strings.Cut(word, ":")
		switch {
		case !ok:
			return errors.New("the colon is missing")
		case !fileName.MatchString(name):
			return fmt.Errorf("%q is not a valid file name: use only ASCII letters, digits, hyphens, underscores and dots, and do not begin with a dot", name)
		}
		(*fs)[name] = content
	}
	return nil
}

// Names returns the names of the files, sorted.
func (fs NamedTexts) Names() []string { return slices.Sorted(maps.Keys(fs)) }

func parsePositiveDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is not a duration greater than zero", text)
	}
	return d, nil
}

func splitCommaList(text []byte) []string {
	var words []string
	for word := range strings.SplitSeq(string(text), ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// NetworkValues are the values of the variables that networks declare. Their names do not include Prefix.
type NetworkValues struct {
	values  map[string]Secret
	secrets map[string]bool
}

// Get returns the value of a network's variable, even if it is a secret, or "" if it is empty or not declared.
func (n NetworkValues) Get(variableName string) (valueOrEmpty string) {
	return n.values[variableName].Reveal()
}

// HasAnySecret reports whether a secret of any network is set, which means that a network has credentials.
func (n NetworkValues) HasAnySecret() bool {
	for name := range n.secrets {
		if !n.values[name].IsZero() {
			return true
		}
	}
	return false
}

// LogValue returns the names without the values.
func (n NetworkValues) LogValue() slog.Value {
	return slog.StringValue(strings.Join(slices.Sorted(maps.Keys(n.values)), " "))
}

func newNetworkValues(given map[string]string, extra []Variable) NetworkValues {
	n := NetworkValues{values: map[string]Secret{}, secrets: map[string]bool{}}
	for _, v := range extra {
		value, ok := given[v.Name]
		if !ok {
			value = v.Default
		}
		n.values[v.Name] = NewSecret(value)
		if v.Secret {
			n.secrets[v.Name] = true
		}
	}
	return n
}
