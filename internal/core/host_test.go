package core

import "testing"

func TestLoopbackIsKnownByNameAndAddress(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost:25": true, "127.0.0.1": true, "127.8.8.8:8080": true, "::1": true, "[::1]:25": true,
		"[::1]": true, "::ffff:127.0.0.1": true,
		"": false, "localhost.example.org": false, "10.0.0.1": false, "[fe80::1]:25": false, "mail.example.org:25": false,
	} {
		if IsLoopback(host) != want {
			t.Errorf("%q is loopback: %t", host, !want)
		}
	}
}
