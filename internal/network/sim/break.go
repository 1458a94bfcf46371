package sim

import (
	"errors"
	"io"
)

// errBrokenOff is the error when a call's body is read after a fault has broken the connection.
var errBrokenOff = errors.New("the connection broke off")

// uploadBody is the body of a call, which the network reads while it performs the call. It counts the bytes, and ends
// where a fault breaks the connection.
type uploadBody struct {
	io.ReadCloser
	kit    *Kit
	call   Call
	broken bool
}

func (b *uploadBody) Read(p []byte) (int, error) {
	if b.broken {
		return 0, errBrokenOff
	}
	if left, breaks := b.kit.Faults.bytesUntilBreak(b.call); breaks && len(p) > left {
		p = p[:left]
	}
	n, err := b.ReadCloser.Read(p)
	b.kit.Calls.addUploadedBytes(b.call.Network, n)
	if b.kit.Faults.countBytesAndFire(b.call, n) {
		b.broken, err = true, errBrokenOff
	}
	return n, err
}

// bytesUntilBreak returns after how many more bytes a fault breaks the call, or false if none does.
func (f *Faults) bytesUntilBreak(c Call) (left int, breaks bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range f.active {
		if x.Kind == BreakOff && x.matchesCall(c) && (!breaks || x.AfterBytes-x.counted < left) {
			left, breaks = x.AfterBytes-x.counted, true
		}
	}
	return left, breaks
}

// countBytesAndFire counts bytes of a call that have arrived, and fires each fault that breaks the call now. It reports
// whether there is one.
func (f *Faults) countBytesAndFire(c Call, n int) (broken bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range f.active {
		if x.Kind != BreakOff || !x.matchesCall(c) {
			continue
		}
		if x.counted += n; x.counted >= x.AfterBytes {
			x.counted, broken = 0, true
			x.Fired++
		}
	}
	if broken {
		f.retireSpentLocked()
	}
	return broken
}
