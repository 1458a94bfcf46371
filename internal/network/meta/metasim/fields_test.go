package metasim_test

import (
	"reflect"
	"strings"
	"testing"

	"belfry/internal/network/meta/metasim"
)

func TestFieldsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	got, err := metasim.ParseFields("id, picture.type(large){url},a{b{c},d}.limit(0)")
	if err == nil {
		t.Errorf("a modifier after the braces was read as %v", got)
	}
	got, err = metasim.ParseFields("id, picture.type(large).width(3){url},a{b{c},d}")
	want := []metasim.Field{
		{Name: "id"},
		{Name: "picture", Sub: []metasim.Field{{Name: "url"}}},
		{Name: "a", Sub: []metasim.Field{{Name: "b", Sub: []metasim.Field{{Name: "c"}}}, {Name: "d"}}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %v, %v", got, err)
	}
	for _, bad := range []string{"a,,b", "a{b", "a}", "a.x(", ",a", "a{b}}"} {
		if got, err := metasim.ParseFields(bad); err == nil {
			t.Errorf("%q was read as %v", bad, got)
		}
	}
}

func TestPickKeepsWhatWasAsked(t *testing.T) {
	t.Parallel()
	node := map[string]any{
		"id": "1", "name": "n", "list": map[string]any{"data": []any{map[string]any{"a": 1, "b": 2}}},
	}
	got, err := metasim.NewKind("Thing", "name", "name", "list", "absent").Pick("list{a},absent", node)
	want := map[string]any{"id": "1", "list": map[string]any{"data": []any{map[string]any{"a": 1}}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("picked %v, %v", got, err)
	}
	_, err = metasim.NewKind("Thing", "name", "name").Pick("list", node)
	if err == nil || !strings.Contains(err.Error(), "(list) on node type (Thing)") {
		t.Errorf("a field that the type does not have: %v", err)
	}
}
