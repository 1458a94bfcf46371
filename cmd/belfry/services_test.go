package main

import "testing"

// An operator may write BELFRY_ADDR in any form that a server can listen on.
func TestThisMachineReachesEveryAddressThatIsListenedOn(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080", "[::1]:8080": "http://[::1]:8080", "192.0.2.7:80": "http://192.0.2.7:80",
		"0.0.0.0:8080": "http://127.0.0.1:8080", "[::]:8080": "http://127.0.0.1:8080", ":8080": "http://127.0.0.1:8080",
		"localhost:8080": "http://localhost:8080",
	} {
		if at, err := loopback(addr); err != nil || at.String() != want {
			t.Errorf("%s is reached at %v (%v), want %s", addr, at, err, want)
		}
	}
}
