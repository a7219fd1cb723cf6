package git

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/internal/disk"
)

// Checkout makes a repository in the directory to, which does not exist, with a commit of another
// repository checked out. That is a directory, whose objects are borrowed, or an address, which git
// asks as the user's settings say. Tags come along. No filter and no hook runs.
func Checkout(ctx context.Context, from, to, hash string) error {
	if fi, err := os.Stat(from); err == nil && fi.IsDir() {
		p, err := locate(from)
		if err != nil {
			return err
		}
		at := filepath.Join(to, ".git")
		if err := disk.MkdirAll(at); err != nil {
			return err
		}
		p.root = to // it may be bare
		if _, err := fill(ctx, p, at, asCommitted); err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(at, "info", "attributes")); err != nil && !missing(err) {
			return err
		}
		return checkout(ctx, to, hash)
	}
	if strings.HasPrefix(from, "-") {
		return fmt.Errorf("git: %q is neither a directory nor an address", from)
	}
	return fetch(ctx, from, to, hash, "initial", users([]string{"GIT_TERMINAL_PROMPT=0"}))
}

// CheckoutPublic is [Checkout] from an untrusted address. Only HTTPS is spoken, with that host
// alone, and no credentials are used.
func CheckoutPublic(ctx context.Context, from, to, hash string) error {
	if err := CheckAddress(from); err != nil {
		return err
	}
	return fetch(ctx, from, to, hash, "false", clean([]string{"GIT_ALLOW_PROTOCOL=https"}))
}

// CheckAddress reports why an address that others have given is not asked.
func CheckAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "https" || u.Hostname() == "" || u.Opaque != "" ||
		strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return fmt.Errorf("its address %.200q is not one of https", address)
	case u.User != nil:
		return errors.New("its address has credentials")
	case strings.HasPrefix(u.Host, "-"):
		return fmt.Errorf("its address %.200q has no host", address)
	}
	return nil
}

// asCommitted leaves all files as the commit has them: of the settings only the format of objects
// counts, and [clean] keeps git from the files that it reads without a setting.
func asCommitted(s *settings) {
	maps.DeleteFunc(s.values, func(name, _ string) bool { return !strings.HasPrefix(name, "extensions.") })
	s.values["core.autocrlf"] = "false"
}

// fetch makes a repository with all branches and tags of an address, and checks a commit out.
func fetch(ctx context.Context, from, to, hash, redirects string, env []string) error {
	s := &settings{values: map[string]string{}}
	asCommitted(s)
	if len(hash) == 64 {
		s.values["extensions.objectformat"] = "sha256"
	}
	at := filepath.Join(to, ".git")
	if err := disk.MkdirAll(at); err != nil {
		return err
	}
	if err := begin(at, "ref: refs/heads/main", s.config(false)); err != nil {
		return err
	}
	args := []string{
		"-c", "http.followRedirects=" + redirects, "-c", "core.hooksPath=" + os.DevNull, "fetch",
		"--quiet", "--no-recurse-submodules", "--no-auto-gc", "--no-write-fetch-head", "--", from,
		"+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*",
	}
	if _, err := command(ctx, to, append(env, "GIT_DIR="+at), "", args...); err != nil {
		return fmt.Errorf("fetching %.200q: %w", from, err)
	}
	return checkout(ctx, to, hash)
}

func checkout(ctx context.Context, to, hash string) error {
	_, err := command(ctx, to, clean([]string{"GIT_DIR=" + filepath.Join(to, ".git"), "GIT_WORK_TREE=" + to}),
		"", "checkout", "--quiet", "--detach", hash)
	return err
}
