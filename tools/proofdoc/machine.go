package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"belfry/internal/store/storetest"
)

// describeMachine returns the properties of the machine that figures depend on, without any that identify the machine.
func describeMachine(ctx context.Context) (string, error) {
	facts := []string{fmt.Sprintf("%d cores", runtime.NumCPU())}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		facts = append(facts, memorySize(string(text)))
	}
	kernel, err := exec.CommandContext(ctx, "uname", "-sr").Output()
	if err != nil {
		return "", fmt.Errorf("find the kernel's version: %w", err)
	}
	database, err := databaseVersion(ctx)
	if err != nil {
		return "", fmt.Errorf("find PostgreSQL's version: %w", err)
	}
	facts = append(facts, shortVersion(string(kernel)), "Go "+strings.TrimPrefix(runtime.Version(), "go"), database)
	return strings.Join(facts, ", "), nil
}

var total = regexp.MustCompile(`MemTotal: +([0-9]+) kB`)

// memorySize returns the size of the memory, from the content of /proc/meminfo.
func memorySize(meminfo string) string {
	m := total.FindStringSubmatch(meminfo)
	if m == nil {
		return "unknown memory"
	}
	kib, err := strconv.Atoi(m[1])
	if err != nil {
		return "unknown memory"
	}
	return fmt.Sprintf("%.0f GiB of memory", float64(kib)/(1<<20))
}

var version = regexp.MustCompile(`^([A-Za-z]+)[^0-9]*([0-9]+(?:\.[0-9]+)*)`)

// shortVersion returns a program's name and version number, without additions of distributors.
func shortVersion(text string) string {
	m := version.FindStringSubmatch(text)
	if m == nil {
		return "unknown"
	}
	return m[1] + " " + m[2]
}

// databaseVersion returns the version of the server that tests use.
func databaseVersion(ctx context.Context) (text string, err error) {
	server, err := storetest.Start(ctx)
	if err != nil {
		return "", err
	}
	defer func() {
		stop, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		err = errors.Join(err, server.Stop(stop))
	}()
	out, err := exec.CommandContext(ctx, filepath.Join(server.BinDir(), "postgres"), "--version").Output()
	return strings.Replace(shortVersion(string(out)), "postgres", "PostgreSQL", 1), err
}
