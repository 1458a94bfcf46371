package config

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Print writes each variable with its current value, with secrets hidden, and marks defaults.
func (cfg *Config) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, value string) {
		mark := ""
		if _, ok := cfg.given[name]; !ok {
			mark = "\t# default"
		}
		fmt.Fprintf(t, "%s%s=%s%s\n", Prefix, name, value, mark)
	}
	for _, f := range listFields(cfg) {
		line(f.name, f.displayValue(cfg.given))
	}
	for _, v := range cfg.extra {
		value := cfg.Network.Get(v.Name)
		if v.Secret {
			value = NewSecret(value).String()
		}
		line(v.Name, value)
	}
	return t.Flush()
}

// Example returns the text of .env.example: every variable, its help and its default, commented out.
func Example(extra []Variable) string {
	var b strings.Builder
	b.WriteString("# Belfry's variables and their defaults, written by `make generate`: do not edit.\n")
	b.WriteString("# Set what you want to change in the environment of `belfry serve`. An empty variable is not set.\n")
	b.WriteString("# Belfry does not read this file: use a copy as EnvironmentFile= in a systemd unit, or load it with\n")
	b.WriteString("# `set -a; . ./.env; set +a`. In that case, quote values that contain spaces.\n")
	for _, f := range listFields(&Config{}) {
		example := ""
		if f.initial == "" {
			example = f.example
		}
		writeEntry(&b, f.name, f.initial, f.help, example)
	}
	for _, v := range extra {
		writeEntry(&b, v.Name, v.Default, v.Help, "")
	}
	return b.String()
}

func writeEntry(b *strings.Builder, name, value, help, example string) {
	b.WriteString("\n")
	for _, line := range wrapText(help, 96) {
		b.WriteString("# " + line + "\n")
	}
	if example != "" {
		b.WriteString("# For example: " + example + "\n")
	}
	b.WriteString("#" + Prefix + name + "=" + value + "\n")
}

// wrapText splits a text into lines of at most width bytes.
func wrapText(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
