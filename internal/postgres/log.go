package postgres

import (
	"errors"
	"io"
	"os"
	"strings"
	"time"
)

const (
	logLimit    = 8 << 20
	logInterval = time.Minute // how often the log's size is looked at
	tailLimit   = 2000
)

// openLog opens the log to append, after it was rotated if need be, and returns its length.
func openLog(path string) (*os.File, int64, error) {
	if err := rotateLog(path); err != nil {
		return nil, 0, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// rotateLog moves a log that is too large into a second file, in place of what that held. The log stays the same file,
// since the server has it open to append and would write on into one that was renamed.
func rotateLog(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Size() <= logLimit {
		return nil
	}
	if err != nil {
		return err
	}
	log, err := os.Open(path)
	if err != nil {
		return err
	}
	defer log.Close()
	old, err := os.OpenFile(path+".old", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	// The end says most.
	_, err = log.Seek(max(info.Size()-logLimit, 0), io.SeekStart)
	if err == nil {
		_, err = io.Copy(old, io.LimitReader(log, logLimit))
	}
	if err := errors.Join(err, old.Close()); err != nil {
		return err
	}
	return os.Truncate(path, 0)
}

// readLogTail returns the end of what was written to the log since start.
func readLogTail(path string, start int64) string {
	text, err := os.ReadFile(path)
	if err != nil || int64(len(text)) < start {
		return ""
	}
	text = text[start:]
	if len(text) > tailLimit {
		text = text[len(text)-tailLimit:]
	}
	return strings.TrimSpace(string(text))
}
