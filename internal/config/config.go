// Package config reads and checks the configuration: the environment variables whose names begin with BELFRY_, and the
// file with the secret keys. No other package reads these variables.
package config

import (
	"fmt"
	"log/slog"
	"reflect"
	"time"
)

// Prefix is the beginning of every variable's name.
const Prefix = "BELFRY_"

// Config contains everything that an operator can set. Its tags are the documentation: `belfry config`, error messages
// and .env.example are made from them. The tag "shown" is the default in .env.example if the real default is computed.
type Config struct {
	Addr           string        `env:"ADDR" envDefault:"127.0.0.1:8080" help:"Where Belfry serves the dashboard and the API, as HOST:PORT."`
	PublicURL      string        `env:"PUBLIC_URL" shown:"http://localhost:8080" help:"The address at which people open Belfry, without a path. Belfry uses it in links, and in the redirect and callback addresses that you register with the networks. If it begins with https://, browsers send Belfry's cookies only over HTTPS. Default: http://localhost with the port of BELFRY_ADDR."`
	DatabaseURL    Secret        `env:"DATABASE_URL" shape:"url" eg:"postgres://belfry:password@db.example.org/belfry" help:"The address of a PostgreSQL database, version 15 or newer. Empty: Belfry runs its own PostgreSQL server in BELFRY_DATA_DIR."`
	DataDir        string        `env:"DATA_DIR" shown:"data" help:"The folder for the local database, the media files and the secret keys. Default: ./data, or /var/lib/belfry if Belfry runs as root."`
	StorageURL     Secret        `env:"STORAGE_URL" shape:"url" eg:"s3://key:secret@s3.example.org/bucket" shown:"file:data/media" help:"Where media files are stored: file:FOLDER, or s3://KEY:SECRET@HOST[:PORT]/BUCKET[/PREFIX], optionally with ?region=REGION and &tls=off. Percent-encode KEY and SECRET, or leave them out and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Default: the media folder in BELFRY_DATA_DIR."`
	SecretKeys     Secret        `env:"SECRET_KEYS" eg:"2026a:BASE64,2025b:BASE64" help:"Keys that encrypt tokens and other secrets in the database, as ID:KEY, where KEY is 32 bytes in base64. Belfry encrypts with the first key and decrypts with all of them. Empty: Belfry reads the file secret.keys in BELFRY_DATA_DIR, and creates this file when it first starts. Machines that share a database need the same keys."`
	Roles          Roles         `env:"ROLES" envDefault:"web,worker" help:"What this process does: web serves the dashboard and the API; worker publishes posts, processes files and sends emails."`
	TrustedProxies IPPrefixes    `env:"TRUSTED_PROXIES" eg:"10.0.0.0/8,192.168.1.7" help:"Addresses or address ranges of the reverse proxies whose X-Forwarded-For header Belfry trusts. Empty: none."`
	NetworksURL    string        `env:"NETWORKS_URL" eg:"http://127.0.0.1:9090" help:"The address of a program that simulates the networks. Each call to a network's address https://HOST/PATH goes to this address followed by /HOST/PATH. Empty: Belfry calls the real networks or, while no network has credentials, its own simulators."`
	RetryDelays    Durations     `env:"RETRY_DELAYS" envDefault:"1m,5m,15m" help:"How long to wait before each automatic retry of a post that failed temporarily and was certainly not published."`
	Retention      time.Duration `env:"RETENTION" envDefault:"72h" help:"How long Belfry keeps the content of a media file after the last post that uses the file went live. Pinned files, and files that a draft, a queued post or a post with a pending retry uses, are kept longer."`
	UploadTTL      time.Duration `env:"UPLOAD_TTL" envDefault:"1h" help:"How long an upload address is valid."`
	LimitAddress   Rate          `env:"LIMIT_ADDRESS" envDefault:"600/10m" help:"How many API requests a client address can make, as COUNT/TIME. Requests for dashboard pages have a separate limit that is five times as high."`
	LimitCreate    Rate          `env:"LIMIT_CREATE" envDefault:"60/1h" help:"How many requests to create posts a workspace can make, as COUNT/TIME. A request counts once, regardless of how many posts it creates."`
	Lease          time.Duration `env:"LEASE" envDefault:"60s" help:"How long a worker's claim on a post is valid. After that, another worker can take over the post. At least 6s."`
	Sweep          time.Duration `env:"SWEEP" envDefault:"1s" help:"How often a worker looks for posts that another process queued for immediate publishing, and for posts that a killed process left unfinished."`
	PlansFile      string        `env:"PLANS_FILE" eg:"/etc/belfry/plans.json" help:"A JSON file that changes the built-in subscription plans. See docs/operations.md for an example."`
	UpgradeURL     string        `env:"UPGRADE_URL" eg:"https://example.org/upgrade" help:"The address where people can upgrade their subscription plan. Default: the page Usage and limits in the dashboard's settings."`
	SMTPURL        Secret        `env:"SMTP_URL" shape:"url" eg:"smtp://user:password@mail.example.org:587" help:"The server that sends Belfry's emails: smtp://USER:PASSWORD@HOST:PORT with STARTTLS, or smtps://USER:PASSWORD@HOST:PORT with TLS from the start. If HOST is localhost or a loopback address, smtp:// uses no encryption. Percent-encode USER and PASSWORD. Empty: Belfry sends no email, and people share invitation links themselves."`
	MailFrom       string        `env:"MAIL_FROM" eg:"Belfry <belfry@example.org>" help:"The sender of Belfry's emails. Required if BELFRY_SMTP_URL is set."`
	MetricsAddr    string        `env:"METRICS_ADDR" eg:"127.0.0.1:9100" help:"Where Belfry serves metrics for Prometheus, as HOST:PORT. Empty: Belfry serves no metrics."`
	MediaURL       string        `env:"MEDIA_URL" shown:"http://localhost:8080" help:"The address from which the networks download media files. Default: BELFRY_PUBLIC_URL."`
	ProofFiles     NamedTexts    `env:"VERIFICATION_FILES" eg:"example1234.txt:example-site-verification=1234" help:"Text files that prove to a network that BELFRY_MEDIA_URL is yours, as NAME:CONTENT, separated by commas. Belfry serves each file at BELFRY_MEDIA_URL followed by /media/NAME. Empty: none."`
	LogFormat      string        `env:"LOG_FORMAT" envDefault:"text" help:"The format of the log: text or json."`
	LogLevel       slog.Level    `env:"LOG_LEVEL" envDefault:"info" help:"The lowest level to log: debug, info, warn or error."`
	Network        NetworkValues // the variables that networks declare
	given          map[string]string
	extra          []Variable
}

// Variable is a variable that another package declares, such as a network's. Name does not include Prefix.
type Variable struct {
	Name    string
	Default string
	Help    string
	Secret  bool
}

// field is a field of Config that a variable sets, as described by its tags.
type field struct {
	goName  string
	name    string // without Prefix
	initial string // the default in .env.example
	example string // the example in errors
	help    string
	url     bool // an address that contains a secret, but whose host and path may be shown
	value   reflect.Value
}

// listFields returns the fields of Config that a variable sets, in order.
func listFields(cfg *Config) []field {
	v := reflect.ValueOf(cfg).Elem()
	var list []field
	for sf, value := range v.Fields() {
		name, ok := sf.Tag.Lookup("env")
		if !ok {
			continue
		}
		f := field{
			goName: sf.Name, name: name, help: sf.Tag.Get("help"), example: sf.Tag.Get("eg"),
			initial: sf.Tag.Get("envDefault"), url: sf.Tag.Get("shape") == "url", value: value,
		}
		if shown, ok := sf.Tag.Lookup("shown"); ok {
			f.initial = shown
		}
		if f.example == "" {
			f.example = f.initial
		}
		list = append(list, f)
	}
	return list
}

// displayValue returns the value for output, without secrets. Values in a special format, such as rates, are shown as
// entered.
func (f field) displayValue(given map[string]string) string {
	switch v := f.value.Interface().(type) {
	case Secret:
		if f.url {
			return v.redactedURL()
		}
		return v.String()
	case string:
		return v
	}
	if text, ok := given[f.name]; ok {
		return text
	}
	return f.initial
}

// errorf returns an error with the variable's name, the formatted text, and an example.
func (f field) errorf(format string, args ...any) error {
	return fmt.Errorf("%s%s %s (for example, %s%s=%s)", Prefix, f.name, fmt.Sprintf(format, args...), Prefix, f.name,
		f.example)
}
