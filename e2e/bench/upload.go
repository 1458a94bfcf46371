package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

const (
	uploadBytes  = 2 << 30
	uploadRounds = 5
	goalGrowth   = 32 << 10 // KiB
	goalUpload   = 0.7      // of nginx
)

// measureUpload uploads a large file to the program and to nginx in turns, and measures the program's memory during its
// uploads.
func measureUpload(ctx context.Context, o options, folder string, t *table) error {
	s, err := newService(o, folder, "BELFRY_LIMIT_ADDRESS="+noLimit)
	if err != nil {
		return err
	}
	if _, err := s.serve(ctx); err != nil {
		return err
	}
	defer s.stop()
	seed, err := s.seedWorkspace(ctx)
	if err != nil {
		return err
	}
	peer, err := startNginx(ctx, s, filepath.Join(folder, "nginx"))
	if err != nil {
		return err
	}
	defer peer.stop()
	source := filepath.Join(folder, "source")
	if err := writeSource(source); err != nil {
		return err
	}
	var ours, theirs, synced, ratios, growths []float64
	for range uploadRounds {
		there, safe, err := peer.upload(ctx, source)
		if err != nil {
			return err
		}
		here, growth, err := s.upload(ctx, seed.Key, source)
		if err != nil {
			return err
		}
		ours, theirs, synced = append(ours, rate(here)), append(theirs, rate(there)), append(synced, rate(safe))
		ratios, growths = append(ratios, rate(here)/rate(there)), append(growths, float64(growth))
	}
	ratio, growth := median(ratios), quantile(growths, 1)
	ratioMet, growthMet := ratio >= goalUpload, growth < goalGrowth
	t.section("An upload of 2 GiB, from the first byte to the response")
	t.row("nginx, WebDAV PUT", fmt.Sprintf("%.0f MiB/s", median(theirs)), "", nil)
	t.row("nginx, followed by a sync to disk", fmt.Sprintf("%.0f MiB/s", median(synced)), "", nil)
	t.row("the program, including a sync to disk", fmt.Sprintf("%.0f MiB/s", median(ours)), "", nil)
	t.row("program / nginx", fmt.Sprintf("%.2f", ratio), fmt.Sprintf(">= %.1f", goalUpload), &ratioMet)
	t.row("largest growth of the program's memory", fmt.Sprintf("%.1f MiB", growth/1024), "< 32 MiB", &growthMet)
	return nil
}

func rate(took time.Duration) float64 { return uploadBytes / float64(1<<20) / took.Seconds() }

// writeSource writes the file to upload. Its bytes cannot be compressed.
func writeSource(name string) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	block := make([]byte, 1<<20)
	for range uploadBytes / len(block) {
		_, _ = rand.Read(block) // never fails
		if _, err := f.Write(block); err != nil {
			return err
		}
	}
	return f.Sync() // so that no measurement waits for it
}

// put uploads the file and returns how long that took.
func put(ctx context.Context, url, source string) (time.Duration, error) {
	f, err := os.Open(source)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, url, f)
	if err != nil {
		return 0, err
	}
	r.ContentLength = uploadBytes
	syscall.Sync() // finishes the writes of the previous turn
	began := time.Now()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	took := time.Since(began)
	if answer.StatusCode/100 != 2 {
		err = fmt.Errorf("the response to PUT %s is %d", url, answer.StatusCode)
	}
	return took, errors.Join(err, answer.Body.Close())
}

// upload uploads the file, and waits until it has been examined and refused, and its bytes are deleted.
func (s *service) upload(ctx context.Context, key, source string) (took time.Duration, growth int, err error) {
	var made struct{ MediaID, UploadURL string }
	body := map[string]any{"filename": "large.mp4", "mime": "video/mp4", "size": uploadBytes}
	if err := s.call(ctx, key, http.MethodPost, "/media/uploads", body, &made); err != nil {
		return 0, 0, err
	}
	others, err := s.storedFiles()
	if err != nil {
		return 0, 0, err
	}
	pid := s.cmd.Process.Pid
	before, err := memory(pid, "VmRSS")
	if err == nil {
		err = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0) // resets the peak
	}
	if err != nil {
		return 0, 0, err
	}
	if took, err = put(ctx, made.UploadURL, source); err != nil {
		return 0, 0, err
	}
	peak, err := memory(pid, "VmHWM")
	if err != nil {
		return 0, 0, err
	}
	return took, peak - before, s.awaitRefusal(ctx, key, made.MediaID, len(others))
}

// storedFiles returns the paths of all stored media files.
func (s *service) storedFiles() ([]string, error) {
	return filepath.Glob(filepath.Join(s.folder, "data", "media", "media", "*", "*"))
}

// awaitRefusal waits until a file has been refused and only the given number of other files is still stored.
func (s *service) awaitRefusal(ctx context.Context, key, id string, others int) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); ; {
		var m struct{ Status string }
		if err := s.call(ctx, key, http.MethodGet, "/media/"+id, nil, &m); err != nil {
			return err
		}
		stored, err := s.storedFiles()
		if err != nil || m.Status == "failed" && len(stored) == others {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("after a minute, the status of the file is %s, and %v are stored", m.Status, stored)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// nginx is the web server with which uploads are compared.
type nginx struct {
	*process
	addr, root string
}

// The body is written on the same file system as the final file, so that it only has to be renamed.
const nginxConfig = `
daemon off;
worker_processes 2;
pid %[1]s/nginx.pid;
error_log stderr;
events { worker_connections 64; }
http {
	access_log off;
	client_max_body_size 0;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	client_body_buffer_size 256k;
	server {
		listen %[2]s;
		location / { root %[1]s/files; dav_methods PUT; }
		location = /ready { return 200; }
	}
}
`

func startNginx(ctx context.Context, s *service, folder string) (*nginx, error) {
	program, err := exec.LookPath("nginx")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/nginx"); err != nil {
			return nil, fmt.Errorf("%w; run tools/need-nginx", err)
		}
	}
	n := &nginx{root: filepath.Join(folder, "files")}
	if n.addr, err = freeAddr(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(n.root, 0o755); err != nil {
		return nil, err
	}
	config := fmt.Sprintf(nginxConfig, folder, n.addr)
	if os.Getuid() == 0 { // otherwise, its workers run as a user who cannot write here
		config = "user root;" + config
	}
	file := filepath.Join(folder, "nginx.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return nil, err
	}
	if n.process, err = start(folder, "nginx", nil, program, "-p", folder, "-e", "stderr", "-c", file); err != nil {
		return nil, err
	}
	return n, s.await(ctx, "http://"+n.addr+"/ready")
}

// upload uploads the file, syncs it to disk and removes it. safe is how long the upload and the sync took together.
func (n *nginx) upload(ctx context.Context, source string) (took, safe time.Duration, err error) {
	began := time.Now()
	if took, err = put(ctx, "http://"+n.addr+"/large", source); err != nil {
		return 0, 0, err
	}
	name := filepath.Join(n.root, "large")
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return 0, 0, err
	}
	err = f.Sync()
	safe = time.Since(began)
	return took, safe, errors.Join(err, f.Close(), os.Remove(name))
}
