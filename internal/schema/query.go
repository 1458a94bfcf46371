package schema

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"unicode/utf8"

	"belfry/internal/core"
)

// ParseAndCheckQuery parses the query of a URL and checks it strictly: it refuses unknown and repeated parameters, and
// values of the wrong type. It does not check empty values, or that required parameters exist. The error joins all
// errors.
func (o *Object) ParseAndCheckQuery(rawQuery string) (url.Values, error) {
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return nil, core.Invalid("query", "The query string cannot be read.").
			WithHint("Percent-encode the parameters.").WithCause(err)
	}
	var mistakes []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := o.checkParameter(name, values[name]); err != nil && len(mistakes) < maxMistakes {
			mistakes = append(mistakes, err)
		}
	}
	return values, errors.Join(mistakes...)
}

func (o *Object) checkParameter(name string, values []string) error {
	at := place{JoinPath("query", name), "The parameter " + FormatUntrustedName(name)}
	t := o.Fields[name]
	switch {
	case t == nil:
		return WithSuggestion(core.Invalid(at.path, "There is no parameter %s.", FormatUntrustedName(name)), name,
			o.sortedFieldNames())
	case len(values) > 1:
		return at.newInvalidError("is repeated.")
	case values[0] == "":
		return nil
	case !utf8.ValidString(values[0]):
		return at.newInvalidError("is not valid UTF-8.")
	case t.Number != nil:
		if err := t.checkNumber(at, values[0]); err != nil {
			return at.newInvalidError("must be %s.", t.Number.boundsInWords())
		}
		return nil
	}
	return t.checkText(at, values[0])
}
