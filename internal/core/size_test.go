package core_test

import (
	"math"
	"testing"

	"belfry/internal/core"
)

func TestSizesAreWrittenAsPeopleReadThem(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0 bytes", 999: "999 bytes", 1000: "1 kB", 1536: "1.54 kB", 999_499: "999 kB", 999_500: "1 MB",
		8_000_000: "8 MB", 524_288_000: "524 MB", 999_600_000: "1 GB", 2_000_000_000: "2 GB", 1_000_000_000_000: "1 TB",
		math.MaxInt64: "9.22 EB",
	} {
		if got := core.FormatBytes(n); got != want {
			t.Errorf("%d is written %s, not %s", n, got, want)
		}
	}
}

func TestMessagesAboutStorageWriteSizesAsPeopleReadThem(t *testing.T) {
	t.Parallel()
	file := core.Plan{FileBytes: new(int64(2_000_000_000))}.CheckFileSize(2_000_000_001)
	for err, want := range map[error]string{
		file: "quota_exceeded: The subscription plan allows files of at most 2 GB; this file is larger.",
		core.NewStorageExceededError(1_990_000_000, 2_000_000_000): "quota_exceeded: There is not enough storage for the file: the workspace uses 1.99 GB of its 2 GB.",
	} {
		if err.Error() != want {
			t.Errorf("%q, not %q", err, want)
		}
	}
}
