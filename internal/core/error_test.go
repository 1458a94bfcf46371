package core_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"belfry/internal/core"
)

func TestErrorsAreFoundInAChain(t *testing.T) {
	t.Parallel()
	conflict := core.Fail(core.CodeConflict, "The post is %s.", "live").WithHint("Duplicate it.")
	wrapped := fmt.Errorf("cancel post: %w", conflict)
	if core.CodeOf(wrapped) != core.CodeConflict || core.ErrorOrInternal(wrapped) != conflict {
		t.Errorf("%v", core.ErrorOrInternal(wrapped))
	}
	if conflict.Message != "The post is live." || conflict.Hint != "Duplicate it." {
		t.Errorf("%+v", conflict)
	}
}

func TestForeignErrorsShowNothing(t *testing.T) {
	t.Parallel()
	secret := errors.New("password=hunter2")
	e := core.ErrorOrInternal(fmt.Errorf("open: %w", secret))
	if e.Code != core.CodeInternal || strings.Contains(e.Message+e.Hint+e.Error(), "hunter2") {
		t.Errorf("shown: %+v", e)
	}
	if !errors.Is(e, secret) {
		t.Error("the log cannot see the cause")
	}
	if core.CodeOf(secret) != core.CodeInternal {
		t.Errorf("code of a foreign error: %s", core.CodeOf(secret))
	}
}

func TestErrorsAreCopiedNotChanged(t *testing.T) {
	t.Parallel()
	first := core.NotFound()
	first.WithHint("Another %s.", "hint")
	_ = first.WithCause(errors.New("cause"))
	if first.Hint != core.NotFound().Hint || errors.Unwrap(first) != nil {
		t.Errorf("changed: %+v", first)
	}
}

func TestInvalidNamesThePath(t *testing.T) {
	t.Parallel()
	if e := core.Invalid("targets.accountIds[2]", "That is no id."); e.Code != core.CodeInvalidRequest ||
		e.Path != "targets.accountIds[2]" {
		t.Errorf("%+v", e)
	}
	if e := core.Invalid("", "The body is empty."); e.Hint != "" {
		t.Errorf("the whole body: %+v", e)
	}
}

func TestUnderMovesThePathOfAnError(t *testing.T) {
	t.Parallel()
	for path, err := range map[string]error{
		"settings.tiktok.title": core.InvalidField("title", "title", "must be a string."),
		"settings.tiktok":       core.Invalid("", "The settings must be an object."),
	} {
		if e := core.ErrorOrInternal(core.PrefixPaths("settings.tiktok", err)); e.Path != path {
			t.Errorf("want %s, got %s", path, e.Path)
		}
	}
	if foreign := errors.New("disk full"); !errors.Is(core.PrefixPaths("settings", foreign), foreign) {
		t.Error("an error of another kind is changed")
	}
}

func TestCodesAreListedOnce(t *testing.T) {
	t.Parallel()
	seen := map[core.Code]bool{}
	for _, code := range core.Codes {
		if seen[code] || code == "" {
			t.Errorf("%q is there twice or is empty", code)
		}
		seen[code] = true
	}
	// Spec §7 and decisions.md, without those of media, which come with media.
	for code := range strings.FieldsSeq(`invalid_request unauthenticated quota_exceeded insufficient_scope not_found method_not_allowed
		conflict confirm_required plan_has_issues media_purged outcome_unknown idempotency_mismatch idempotency_in_progress
		payload_too_large unsupported_media_type rate_limited unavailable internal`) {
		if !seen[core.Code(code)] {
			t.Errorf("%s is missing", code)
		}
	}
}
