package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
)

// checkStore implements Store.Check for any store. If a crash leaves its object behind, no row refers to it, so the
// sweep deletes it.
func checkStore(ctx context.Context, s Store) error {
	want := []byte(rand.Text())
	key := Key("check", strings.ToLower(rand.Text()))
	if err := s.Put(ctx, key, bytes.NewReader(want), int64(len(want))); err != nil {
		return err
	}
	return errors.Join(checkStored(ctx, s, key, want), s.Delete(ctx, key))
}

func checkStored(ctx context.Context, s Store, key string, want []byte) error {
	o, err := s.Open(ctx, key)
	if err != nil {
		return err
	}
	defer o.Close()
	got, err := io.ReadAll(o)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("read %s: the bytes differ from what was written", key)
	}
	return nil
}
