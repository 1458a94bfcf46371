package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// process is a started program.
type process struct {
	cmd  *exec.Cmd
	log  *os.File
	done chan error
}

// start starts a program with only the environment variables that it needs.
func start(folder, name string, env []string, program string, args ...string) (*process, error) {
	log, err := os.Create(filepath.Join(folder, name+".log"))
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(program, args...), log: log, done: make(chan error, 1)}
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "PG_BIN=" + os.Getenv("PG_BIN")},
		env...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	// The program must not get Ctrl-C directly: it is stopped when the measurement has ended.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	go func() {
		p.done <- p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// startSelf starts this program with arguments of which the first one is also the name of its log.
func startSelf(folder string, args ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return start(folder, args[0], nil, self, args...)
}

// stop ends the process as an operator would.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(40 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
	_ = p.log.Close()
}

// service is the program that is measured.
type service struct {
	*process
	options
	folder, addr string
	env          []string
}

// newService prepares the program, with its own PostgreSQL in folder.
func newService(o options, folder string, settings ...string) (*service, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o711); err != nil {
		return nil, err
	}
	s := &service{options: o, folder: folder, addr: addr}
	s.env = append([]string{"BELFRY_ADDR=" + addr, "BELFRY_DATA_DIR=" + filepath.Join(folder, "data")}, settings...)
	return s, nil
}

// serve starts the program, waits until it is ready, and returns how long that took.
func (s *service) serve(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	p, err := start(s.folder, "serve", s.env, s.binary, "serve")
	if err != nil {
		return 0, err
	}
	s.process = p
	if err := s.await(ctx, "http://"+s.addr+"/readyz"); err != nil {
		return 0, errors.Join(err, s.lastWords())
	}
	return time.Since(began), nil
}

func (s *service) lastWords() error {
	text, err := os.ReadFile(s.log.Name())
	return errors.Join(fmt.Errorf("log: %s", text[max(0, len(text)-2000):]), err)
}

func (s *service) await(ctx context.Context, url string) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); ; {
		if answer, err := http.Get(url); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s did not become ready", url)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-s.done:
			return fmt.Errorf("the program ended: %w", err)
		case <-tick.C:
		}
	}
}

// seeded is what `belfry seed --json` prints.
type seeded struct {
	Workspace, Email, Password, Key string
	Accounts                        map[string]string
	MoreAccounts                    map[string][]string
}

// account returns the account of a network for the nth post: the accounts take turns.
func (s seeded) account(network string, n int) string {
	all := append([]string{s.Accounts[network]}, s.MoreAccounts[network]...)
	return all[n%len(all)]
}

// seedWorkspace creates a workspace with `belfry seed` and the given options, such as --accounts=3.
func (s *service) seedWorkspace(ctx context.Context, options ...string) (seeded, error) {
	var made seeded
	cmd := exec.CommandContext(ctx, s.binary, append([]string{"seed", "--json"}, options...)...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "PG_BIN=" + os.Getenv("PG_BIN")},
		s.env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return made, fmt.Errorf("seed: %w: %s", err, errs.String())
	}
	return made, json.Unmarshal(out.Bytes(), &made)
}

// call sends one request to the API and decodes the response.
func (s *service) call(ctx context.Context, key, method, path string, body, into any) error {
	return call(ctx, method, "http://"+s.addr+"/v1"+path, key, body, into)
}

func call(ctx context.Context, method, url, key string, body, into any) error {
	var reader io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		reader = bytes.NewReader(encoded)
	}
	r, err := http.NewRequestWithContext(ctx, method, url, reader)
	if err != nil {
		return err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s responded with status %d: %s", method, url, answer.StatusCode, raw)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(raw, into)
}

// database returns the address of the program's own PostgreSQL.
func (s *service) database() (string, error) {
	raw, err := os.ReadFile(filepath.Join(s.folder, "data", "postgres.url"))
	return strings.TrimSpace(string(raw)), err
}

func freeAddr() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
