// Package reference draws the API's own description for people: readable without a script, one address
// for each route and record.
package reference

import "belfry/views/layout"

// Model is the page. Read sets everything except the frame and the link back.
type Model struct {
	Frame    layout.Frame
	Back     string // into the dashboard
	Title    string
	Version  string
	Chapters []Chapter
	Sections []Section
	Records  []Record
}

// Chapter is a part of the guide before the routes.
type Chapter struct {
	ID, Title string
	Blocks    []Block
}

// Section is the routes about one type of object.
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

// Body is what a route accepts.
type Body struct {
	Type     []Span
	Required bool
}

// Answer is a response of a route with one status.
type Answer struct {
	Status, Words string

	About   []Block
	Type    []Span
	Headers []string
	Example string
}

// summaryText returns the text before the type, if there is one.
func (a Answer) summaryText() string {
	if len(a.Type) == 0 {
		return a.Words
	}
	return a.Words + ": "
}

// Record is an object in requests and responses.
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

// Block is a paragraph, or a table if it has a head.
type Block struct {
	Text []Span
	Head [][]Span
	Rows [][][]Span
}

// Span is a piece of text, which can be code or a link.
type Span struct {
	Text string
	Code bool
	Link string
}
