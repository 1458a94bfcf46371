package api

import (
	"reflect"
	"strings"
	"testing"

	"belfry/internal/contract"
	"belfry/internal/core"
)

func decodeAs[T any](t *testing.T, body string) (T, error) {
	t.Helper()
	r := NewSchemaRegistry(schemaPrefix)
	s, err := compileType(r, r.Schema(reflect.TypeFor[T](), true, ""))
	if err != nil {
		t.Fatal(err)
	}
	var in T
	err = s.Decode([]byte(body), &in)
	return in, err
}

func TestBodyIsDecodedStrictly(t *testing.T) {
	t.Parallel()
	const targets = `"targets":{"accountIds":["acc_1"]}`
	const whenForms = `"now", "draft", {"publishAt": "2026-03-02T18:00", "timezone": "Europe/Berlin"}`
	for name, c := range map[string]struct{ body, message, hint string }{
		"not JSON": {`{"targets":nope}`, "not valid JSON: the error is at byte", "Check targets."},
		"a word of Python": {
			`{"confirm":True}`, "not valid JSON: the error is at byte",
			"Check confirm. Write true and false in lowercase",
		},
		"null in Python":             {`{"confirm":None}`, "not valid JSON: the error is at byte", "Check confirm. Write null instead of None."},
		"single quotes":              {`{'targets':{}}`, "not valid JSON: the error is at byte", "in double quotes"},
		"a key without quotes":       {`{targets:{}}`, "not valid JSON: the error is at byte", "Begin with a key in double quotes"},
		"a comment":                  {`{/* x */` + targets + `}`, "not valid JSON: the error is at byte", "Remove the comments"},
		"a line break in a text":     {"{\"text\":\"a\nb\"}", "not valid JSON: the error is at byte", `write a line break as \n`},
		"ends too early":             {`{"targets":{"accountIds":["acc_1"]`, "is incomplete", "Close every bracket"},
		"nothing but space":          {"  \n", "is incomplete", ""},
		"a comma too many":           {`{` + targets + `,}`, "not valid JSON: the error is at byte", "not after the last"},
		"a comma too many in a list": {`{"tags":["a", ]}`, "not valid JSON: the error is at byte", "not after the last"},
		"a byte order mark":          {"\ufeff{" + targets + "}", "not valid JSON: the error is at byte", "byte order mark"},
		"something after":            {`{` + targets + `} {}`, "contains text after the JSON value", "one JSON object"},
		"garbage after":              {`{` + targets + `}x`, "contains text after the JSON value", "one JSON object"},
		"a list":                     {`[]`, "The body must be an object", "Send one JSON object."},
		"null":                       {`null`, "The body must be an object", ""},
		"a key twice": {
			`{` + targets + `,"confirm":false,"confirm":true}`,
			"The body contains the field confirm more than once", "Check confirm.",
		},
		"a deep key twice": {
			`{"targets":{"groupId":"a","groupId":"b"}}`, "The body contains the field groupId more than once",
			"Check targets.groupId.",
		},
		"a key twice in a settings block": {
			`{` + targets + `,"perPlatform":{"x":{"a":1,"a":2}}}`, "The body contains the field a more than once",
			"Check perPlatform.x.a.",
		},
		"an escaped twin": {
			`{` + targets + `,"text":"a","\u0074ext":"b"}`, "The body contains the field text more than once",
			"Check text.",
		},
		"an unknown key": {`{` + targets + `,"txet":"a"}`, "no field txet", "Did you mean text?"},
		"another case":   {`{` + targets + `,"Confirm":true}`, "no field Confirm", "Did you mean confirm?"},
		"a key like none": {
			`{` + targets + `,"zzzzzz":1}`, "no field zzzzzz",
			"Allowed here: confirm, mediaIds,",
		},
		"an unknown key deep down": {
			`{"targets":{"accounts":[]}}`, "no field accounts",
			"Check targets.accounts. Did you mean accountIds?",
		},
		"an unknown key of when": {
			`{` + targets + `,"when":{"publishAt":"2026-01-01T10:00","timeZone":"UTC"}}`,
			"no field timeZone", "Did you mean timezone?",
		},
		"a zone without a name": {
			`{` + targets + `,"when":{"publishAt":"2026-01-01T10:00","timezone":""}}`,
			"timezone must have at least 1 character.", "Check when.timezone.",
		},
		"an unknown key of overrides": {
			`{` + targets + `,"overrides":{"threads":{"txt":"a"}}}`, "no field txt",
			"Check overrides.threads.txt. Did you mean text?",
		},
		"a field missing": {`{}`, "The field targets is required", "Check targets."},
		"a deep field missing": {
			`{` + targets + `,"when":{"timezone":"UTC"}}`, "The field publishAt is required",
			"Check when.publishAt.",
		},
		"a number for a text": {`{` + targets + `,"text":5}`, "text must be a string", "Check text."},
		"null for a text":     {`{` + targets + `,"text":null}`, "text must be a string", "Check text."},
		"a text for a switch": {
			`{` + targets + `,"confirm":"true"}`, "confirm must be true or false",
			"Check confirm.",
		},
		"a text for a list": {`{` + targets + `,"tags":"a"}`, "tags must be a list", "Check tags."},
		"a number in a list": {
			`{` + targets + `,"tags":["a",1]}`, "tags[1] must be a string",
			"Check tags[1].",
		},
		"a list for an object": {`{"targets":[]}`, "targets must be an object", "Check targets."},
		"a number for when": {
			`{` + targets + `,"when":7}`, "when must be a string or an object",
			`Check when. Use one of: ` + whenForms,
		},
		"another word for when": {
			`{` + targets + `,"when":"tomorrow"}`, "when has an unknown value",
			`Check when. Use one of: ` + whenForms,
		},
		"null for when":         {`{` + targets + `,"when":null}`, "when must be a string or an object", whenForms},
		"a list for when":       {`{` + targets + `,"when":[]}`, "when must be a string or an object", whenForms},
		"invalid UTF-8":         {"{" + targets + ",\"text\":\"a\xffb\"}", "not valid UTF-8: the error is at byte", ""},
		"half a surrogate pair": {`{` + targets + `,"text":"\ud800"}`, "not", ""},
		"U+0000": {
			`{` + targets + `,"text":"a\u0000b"}`, "text contains a control character",
			"Check text.",
		},
		"a bell": {`{` + targets + `,"tags":["\u0007"]}`, "tags[0] contains a control character", ""},
		"U+0000 in a settings block": {
			`{` + targets + `,"perPlatform":{"x":{"a":"\u0000"}}}`,
			"perPlatform.x.a contains a control character", "",
		},
		"U+0000 in a key": {
			`{` + targets + `,"perPlatform":{"\u0000":{}}}`,
			"A JSON key contains a control character", "Check perPlatform.",
		},
		"too deep": {`{` + targets + `,"perPlatform":{"x":` + strings.Repeat("[", 40) +
			strings.Repeat("]", 40) + `}}`, "nested more than 32 levels deep", ""},
		"far too deep": {strings.Repeat(`[`, 100_000), "The body must be an object", ""},
		"far too deep in a block": {
			`{` + targets + `,"perPlatform":{"x":` + strings.Repeat(`[`, 100_000),
			"nested more than 32 levels deep", "",
		},
		"too many accounts": {
			`{"targets":{"accountIds":[` + strings.Repeat(`"a",`, 200) + `"a"]}}`,
			"targets.accountIds has more than 200 entries", "Check targets.accountIds.",
		},
		"a huge list in a block": {
			`{` + targets + `,"perPlatform":{"x":[` + strings.Repeat(`1,`, 200) + `1]}}`,
			"perPlatform.x has more than 200 entries", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := decodeAs[contract.CreatePosts](t, c.body)
			e := contract.ErrorOf(err, "")
			if err == nil || core.CodeOf(err) != core.CodeInvalidRequest {
				t.Fatalf("want invalid_request, got %v", err)
			}
			if !strings.Contains(e.Message, c.message) || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("want %q and %q, got %q and %q", c.message, c.hint, e.Message, e.Hint)
			}
		})
	}
}

func TestValidBodyIsDecodedWhole(t *testing.T) {
	t.Parallel()
	in, err := decodeAs[contract.CreatePosts](t, ` {"targets":{"accountIds":["acc_1"],"groupId":"grp_1"},"text":"a\tb\r\n ä\u00e4 \ud83d\ude00","tags":[],
		"perPlatform":{"threads":{"topicTag":"x","deep":[[1,{"a":null}]]}},"overrides":{"threads":{"title":""}},
		"when":{"publishAt":"2026-01-01T10:00","timezone":"Europe/Berlin"},"confirm":true} `)
	if err != nil {
		t.Fatal(err)
	}
	if in.Text != "a\tb\r\n ää 😀" || *in.Targets.GroupID != "grp_1" || !in.Confirm || in.When.Timezone != "Europe/Berlin" {
		t.Errorf("read %+v", in)
	}
	if o := in.Overrides["threads"]; o.Text != nil || o.Title == nil || *o.Title != "" {
		t.Errorf("an empty override differs from none: %+v", o)
	}
	if got := string(in.PerPlatform["threads"]); got != `{"topicTag":"x","deep":[[1,{"a":null}]]}` {
		t.Errorf("the block was read as %s", got)
	}
	if in, err := decodeAs[contract.PlanPosts](t, `{"targets":{},"when":"now"}`); err != nil || in.When.Word != "now" {
		t.Errorf("when as a word: %+v, %v", in.When, err)
	}
}

func TestPatchDistinguishesAbsentFromNull(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]contract.Opt[string]{
		`{}`:             {},
		`{"title":null}`: {Set: true, Null: true},
		`{"title":"a"}`:  {Set: true, V: "a"},
	} {
		in, err := decodeAs[contract.EditPost](t, body)
		if err != nil || in.Title != want {
			t.Errorf("%s: want %+v, got %+v, %v", body, want, in.Title, err)
		}
	}
	for body, hint := range map[string]string{
		`{"title":5}`: "Check title.", `{"text":null}`: "Check text.", `{"status":"live"}`: "one of: queued",
		`{"id":"post_2"}`: "Allowed here:", `{"settings":[]}`: "Check settings.", `{"when":null}`: "Check when.",
	} {
		if _, err := decodeAs[contract.EditPost](t, body); !strings.Contains(contract.ErrorOf(err, "").Hint, hint) {
			t.Errorf("%s: want the hint %q, got %+v", body, hint, err)
		}
	}
}

func TestLengthsAreCountedInCharacters(t *testing.T) {
	t.Parallel()
	if _, err := decodeAs[contract.CreateKey](t, `{"name":"`+strings.Repeat("ä", 80)+`","scope":"read"}`); err != nil {
		t.Errorf("80 characters are taken: %v", err)
	}
	for _, name := range []string{"", strings.Repeat("a", 81)} {
		if _, err := decodeAs[contract.CreateKey](t, `{"name":"`+name+`","scope":"read"}`); core.CodeOf(err) != core.CodeInvalidRequest {
			t.Errorf("a name of %d characters: %v", len(name), err)
		}
	}
}

func TestErrorNeverRepeatsAValue(t *testing.T) {
	t.Parallel()
	const secret = "belfry_live_secret"
	for _, body := range []string{
		`{"name":5,"scope":"` + secret + `"}`, `{"name":"` + secret, `{"name":["` + secret + `"]}`, `"` + secret + `"`,
		secret,
		`{"name":"` + secret + `\u0000","scope":"read"}`,
	} {
		_, err := decodeAs[contract.CreateKey](t, body)
		e := contract.ErrorOf(err, "")
		if err == nil || strings.Contains(e.Message+e.Hint, secret) {
			t.Errorf("%s: %+v", body, e)
		}
	}
}
