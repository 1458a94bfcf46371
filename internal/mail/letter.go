// Package mail formats emails as text and HTML, and sends them by SMTP. Other packages decide who gets which email.
package mail

import (
	"bytes"
	_ "embed"
	htmltemplate "html/template"
	"strings"
	"text/template"
)

// Letter is the content of an email. Its text and its HTML have the same content.
type Letter struct {
	Subject    string   `json:"subject"`
	Paragraphs []string `json:"paragraphs,omitempty"`
	Items      []Item   `json:"items,omitempty"`
	Action     Link     `json:"action,omitzero"`
	// Footnote says why the person gets the email, or what to do if they did not expect it.
	Footnote string `json:"footnote,omitempty"`
}

// Item is an entry of a list. URL is optional.
type Item struct {
	Title  string `json:"title"`
	Detail string `json:"detail,omitempty"`
	URL    string `json:"url,omitempty"`
}

// Link is a button with an address: what the email asks its reader to do.
type Link struct {
	Label string `json:"label"`
	URL   string `json:"url"`
}

//go:embed letter.txt
var textSource string

//go:embed letter.html
var htmlSource string

var (
	textTemplate = template.Must(template.New("text").Parse(textSource))
	htmlTemplate = htmltemplate.Must(htmltemplate.New("html").Parse(htmlSource))
)

// Text formats the letter as plain text.
func (l Letter) Text() (string, error) {
	var out strings.Builder
	err := textTemplate.Execute(&out, l)
	return out.String(), err
}

// HTML formats the letter as an HTML page.
func (l Letter) HTML() (string, error) {
	var out bytes.Buffer
	err := htmlTemplate.Execute(&out, l)
	return out.String(), err
}
