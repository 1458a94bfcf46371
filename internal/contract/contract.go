// Package contract defines the records of API requests and responses with their JSON names (Spec §2, §4), and converts
// the types of core to them. Every published field is listed here explicitly.
package contract

import (
	"bytes"
	"encoding/json"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
)

// Opt is a field of a PATCH that can be absent, null or a value.
type Opt[T any] struct {
	Set  bool // the request contains the field
	Null bool
	V    T
}

// Some returns a field that is set to a value.
func Some[T any](v T) Opt[T] { return Opt[T]{Set: true, V: v} }

// UnmarshalJSON sets Set, and either Null or V.
func (o *Opt[T]) UnmarshalJSON(data []byte) error {
	o.Set = true
	if bytes.Equal(data, []byte("null")) {
		o.Null = true
		return nil
	}
	return json.Unmarshal(data, &o.V)
}

// NilIfZero returns nil for the zero value, and otherwise a pointer to v.
func NilIfZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// None is an empty request or response.
type None struct{}

// ByID is a request about one object.
type ByID struct {
	ID string `json:"-" path:"id"`
}

// EncodeJSON encodes a response as JSON.
func EncodeJSON(answer any) ([]byte, error) {
	return jsonv2.Marshal(answer, jsonv2.Deterministic(true))
}

// Time is a time as the API shows it: ISO 8601 in UTC, in whole seconds or with milliseconds.
type Time struct{ time.Time }

// TimeOrNil returns nil for the zero time.
func TimeOrNil(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	return &Time{t}
}

// MarshalJSON encodes the time in UTC.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(`"` + t.UTC().Format("2006-01-02T15:04:05.999Z07:00") + `"`), nil
}

// UnmarshalJSON decodes a time that MarshalJSON has encoded.
func (t *Time) UnmarshalJSON(data []byte) error { return t.Time.UnmarshalJSON(data) }
