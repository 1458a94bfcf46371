// Package reference shows the API's OpenAPI document as a page. It needs no scripts, and each route and record has its
// own address.
package reference

import "belfry/views/layout"

// Model is the API reference. ParseOpenAPI sets everything except Frame and Back.
type Model struct {
	Frame    layout.Frame
	Back     string // the address of the dashboard
	Title    string
	Version  string
	BaseURL  string // the address that precedes the path of each route
	Chapters []Chapter
	Sections []Section
	Records  []Record
}

// Chapter is a part of the guide before the routes.
type Chapter struct {
	ID, Title string
	Blocks    []Block
}

// Section contains the routes for one type of object.
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
	Command string // the request as a shell command

	Responses []Response
}

// Body is what a route accepts.
type Body struct {
	Type     []Span
	Required bool
}

// Response is a response of a route with one status.
type Response struct {
	Status, Words string

	About   []Block
	Type    []Span
	Headers []string
	Example string
}

// wordsBeforeType returns the text before the type, if there is one.
func (a Response) wordsBeforeType() string {
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

// Field is a parameter of a route or a property of a record.
type Field struct {
	Name, In string // In is empty for a property
	Required bool
	Type     []Span
	About    []Span
}

// Block is a paragraph, or a table if Head is not empty.
type Block struct {
	Text []Span
	Head [][]Span
	Rows [][][]Span
}

// Span is a piece of text, which may be code or a link.
type Span struct {
	Text string
	Code bool
	Link string
}
