package postgres

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestASecondServiceIsToldWhoHasTheFolder(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	lock, err := LockForService(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = LockForService(t.Context(), dir)
	want := "another belfry serve is using " + dir + " (pid " + itoa(os.Getpid()) + ")"
	if held := new(HeldError); !errors.As(err, &held) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	lock, err = LockForService(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	_ = lock.Release()
}

// The system takes a moment to let go of what a killed process held, and whoever killed it starts the next at once.
func TestAServiceWaitsForOneThatIsJustEnding(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	ending, err := LockForService(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error)
	go func() {
		lock, err := LockForService(context.WithoutCancel(t.Context()), dir)
		if err == nil {
			err = lock.Release()
		}
		got <- err
	}()
	select {
	case err := <-got:
		t.Fatalf("the start did not wait: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	if err := ending.Release(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
}

// What the garbage collector finds must not open the folder to a second service.
func TestALockThatNobodyMentionsHolds(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	if _, err := LockForService(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		runtime.GC()
	}
	if held, err := LockHolderOrNil(dir); err != nil || held == nil || !held.IsService() {
		t.Errorf("the folder is held by %+v, %v", held, err)
	}
	if lock, err := TryLockForService(dir); err == nil {
		_ = lock.Release()
		t.Error("a second service got in")
	}
}

func TestAServiceWaitsForACommand(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	command, err := ensureDirAndAwaitLock(t.Context(), dir, byCommand)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error)
	go func() {
		lock, err := LockForService(context.WithoutCancel(t.Context()), dir)
		if err == nil {
			err = lock.Release()
		}
		got <- err
	}()
	if _, err := TryLockForService(dir); err == nil || !strings.HasPrefix(err.Error(), "another belfry command is using") {
		t.Errorf("got %v", err)
	}
	if err := command.Release(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
}

func TestAFolderThatCannotBeMadeIsNamed(t *testing.T) {
	t.Parallel()
	file := dataDir(t) + "/file"
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := LockForService(t.Context(), file+"/data")
	if err == nil || !strings.Contains(err.Error(), file+"/data") {
		t.Errorf("got %v", err)
	}
}

func TestACommandUsesTheServicesDatabase(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	_, pid := service(t, dir)
	session, err := UseOrStartServer(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	must(t, session.URL, "SELECT 'up'")
	if err := session.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if !isAlive(pid) {
		t.Error("the command stopped the service's database")
	}
}

func TestACommandAloneStartsTheDatabaseForItsTime(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	session, err := UseOrStartServer(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	must(t, session.URL, "SELECT 'up'")
	if err := session.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := one(t, session.URL, "SELECT 'up'"); err == nil {
		t.Error("it still runs")
	}
}

func TestACommandDoesNotFollowAnOldAddress(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	parent, _ := service(t, dir)
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	session, err := UseOrStartServer(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	must(t, session.URL, "SELECT 'up'")
	if err := session.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
