// Controlplane builds etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl
// into the user's cache and prints the directory they are in. Existing programs are not rebuilt:
// the directory is named after this module's versions and the compiler's. A cold build takes some
// ten minutes on two cores.
//
// The programs are the tools of this module, which has nothing else.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// programs are the packages to build, by the name of the program.
var programs = map[string]string{
	"etcd":                    "go.etcd.io/etcd/server/v3",
	"kube-apiserver":          "k8s.io/kubernetes/cmd/kube-apiserver",
	"kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
	"kube-scheduler":          "k8s.io/kubernetes/cmd/kube-scheduler",
	"kubectl":                 "k8s.io/kubernetes/cmd/kubectl",
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	dir, err := build(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	fmt.Println(dir)
}

// build returns the directory of the programs, which is complete if it exists: it gets its name
// last.
func build(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	version, key, err := versions()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "slipway", "controlplane", version+"-"+key)
	want, err := os.ReadFile(filepath.Join(dir, sums))
	if err == nil {
		if now, err := digests(dir); err == nil && now == string(want) {
			return dir, nil
		}
	}
	if err := os.RemoveAll(dir); err != nil { // incomplete, or changed since
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".building-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	fmt.Fprintf(os.Stderr, "building Kubernetes %s's control plane into %s: this takes a while, once\n", version, dir)
	if err := compile(ctx, temp, version); err != nil {
		return "", err
	}
	made, err := digests(temp)
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(temp, sums), []byte(made), 0o644), os.Chmod(temp, 0o755))
	}
	if err != nil {
		return "", err
	}
	// another run may have been faster
	if err := os.Rename(temp, dir); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	return dir, nil
}

// compile is one run of the go command over all programs, so that they are compiled side by side.
func compile(ctx context.Context, dir, version string) error {
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	ldflags := []string{"-s", "-w"}
	for _, p := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		ldflags = append(ldflags, "-X "+p+".gitVersion="+version, "-X "+p+".gitMajor="+major,
			"-X "+p+".gitMinor="+minor)
	}
	args := []string{
		"build", "-trimpath", "-ldflags=" + strings.Join(ldflags, " "),
		"-o", dir + string(filepath.Separator),
	}
	for _, name := range sorted() {
		args = append(args, programs[name])
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS=", "GOARCH=")
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("building the control plane: %w", err)
	}
	// The go command names etcd after the last directory of its package that is not a version.
	return os.Rename(filepath.Join(dir, "server"), filepath.Join(dir, "etcd"))
}

// sums is the file with the digests of the programs.
const sums = "SHA256SUMS"

// digests returns the digests of the programs in dir, as sha256sum prints them.
func digests(dir string) (string, error) {
	var b strings.Builder
	for _, name := range sorted() {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%x  %s\n", h.Sum(nil), name)
	}
	return b.String(), nil
}

// versions returns Kubernetes's version and a hash over all that goes into the programs.
func versions() (version, key string, err error) {
	h := sha256.New()
	fmt.Fprintln(h, runtime.Version(), sorted())
	for _, file := range []string{"go.mod", "go.sum", "main.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", "",
				fmt.Errorf("%w: run this in its own directory, as go run -C test/cluster/controlplane . does", err)
		}
		h.Write(text)
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); file == "go.mod" && len(f) > 1 && f[0] == "k8s.io/kubernetes" {
				version = f[1]
			}
		}
	}
	if version == "" {
		return "", "", errors.New("go.mod requires no k8s.io/kubernetes")
	}
	return version, fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}

func sorted() []string {
	var names []string
	for name := range programs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
