package schema_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/schema"
)

// createPosts is the type of contract.CreatePosts.
func createPosts() *schema.Type {
	type fields = map[string]*schema.Type
	text := &schema.Type{Text: &schema.Text{}}
	texts := &schema.Type{List: &schema.List{Max: 200, Items: text}}
	override := &schema.Type{Object: &schema.Object{Fields: fields{"text": text, "title": text, "tags": texts}}}
	return &schema.Type{Object: &schema.Object{Required: []string{"targets"}, Fields: fields{
		"targets":  {Object: &schema.Object{Fields: fields{"accountIds": texts, "groupId": text}}},
		"mediaIds": texts, "text": text, "title": text, "tags": texts,
		"perPlatform": {Object: &schema.Object{Rest: &schema.Type{Any: true}}},
		"overrides":   {Object: &schema.Object{Rest: override}},
		"when": {
			Text: &schema.Text{Choices: []string{"now", "draft"}},
			Object: &schema.Object{
				Fields: fields{"publishAt": text, "timezone": text}, Required: []string{"publishAt"},
			},
		},
		"confirm": {Bool: true},
	}}}
}

// What passes is what the standard library reads in it too, holds no control character, and passes again as it is
// written.
func FuzzDecode(f *testing.F) {
	for _, body := range []string{
		`{"targets":{"accountIds":["acc_1"]},"when":"now","confirm":true}`,
		`{"targets":{},"perPlatform":{"x":[{"y":"z"}]},"when":{"publishAt":"2026-01-01T10:00"}}`,
		`{"targets":{"groupId":"\u00e9\ud83d\ude00"},"text":"\t<é>","tags":["a"],"overrides":{"x":{"text":"","tags":[]}}} `,
		`{"targets":{},"text":"\u0020\u0009\r\n","mediaIds":[""]}`,
	} {
		f.Add(body)
	}
	s := createPosts()
	f.Fuzz(func(t *testing.T, body string) {
		var in, lax, again contract.CreatePosts
		if err := s.Decode([]byte(body), &in); err != nil {
			if core.CodeOf(err) != core.CodeInvalidRequest {
				t.Errorf("%q: %v", body, err)
			}
			return
		}
		written, err := json.Marshal(in)
		if err != nil {
			t.Fatalf("%q cannot be written: %v", body, err)
		}
		tokens := json.NewDecoder(bytes.NewReader(written))
		tokens.UseNumber()
		for token, err := tokens.Token(); err == nil; token, err = tokens.Token() {
			if text, ok := token.(string); ok &&
				strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\r\n", r) }) {
				t.Errorf("%q let a control character in", body)
			}
		}
		if err := json.Unmarshal([]byte(body), &lax); err != nil || !same(lax, written) {
			t.Errorf("%q is read as %s; the standard library says %+v, %v", body, written, lax, err)
		}
		if err := s.Decode(written, &again); err != nil || !same(again, written) {
			t.Errorf("%q, written %s, is read as %+v, %v", body, written, again, err)
		}
	})
}

func same(in contract.CreatePosts, written []byte) bool {
	again, err := json.Marshal(in)
	return err == nil && bytes.Equal(again, written)
}
