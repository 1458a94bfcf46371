// Package reference draws the API's own description for people: readable without a script, one address
// for each route and record.
package reference

import "belfry/views/layout"

// Model is the page. Read makes all of it but the frame and where the link back leads.
type Model struct {
	Frame    layout.Frame
	Back     string // into the dashboard
	Title    string
	Version  string
	Chapters []Chapter
	Sections []Section
	Records  []Record
}

// Chapter is a part of the guide in front of the routes.
type Chapter struct {
	ID, Title string
	Blocks    []Block
}

// Section is the routes about one thing.
type Section struct {
	ID, Title  string
	About      []Span
	Operations []Operation
}

// Operation is one route.
type Operation struct {
	ID, Method, Path, Summary string

	About   []Block
	Fields  []Field // parameters of path, query and header
	Body    *Body
	Command string // the same request for a shell
	Answers []Answer
}

// Body is what a route takes.
type Body struct {
	Type     []Span
	Required bool
}

// Answer is what a route answers with one status.
type Answer struct {
	Status, Words string

	About   []Block
	Type    []Span
	Headers []string
	Example string
}

// summaryText is what stands before the type, if there is one.
func (a Answer) summaryText() string {
	if len(a.Type) == 0 {
		return a.Words
	}
	return a.Words + ": "
}

// Record is an object of requests and answers.
type Record struct {
	ID, Name string
	About    []Span
	Fields   []Field
}

// Field is a parameter or a property.
type Field struct {
	Name, In string // In is empty for a property
	Required bool
	Type     []Span
	About    []Span
}

// Block is a paragraph, or a table when it has a head.
type Block struct {
	Text []Span
	Head [][]Span
	Rows [][][]Span
}

// Span is a piece of text, which may be code or lead somewhere.
type Span struct {
	Text string
	Code bool
	Link string
}
