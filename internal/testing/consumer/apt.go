package consumer

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// hasApt reports whether this is root on Debian or Ubuntu, or on a distribution derived from them.
func hasApt() bool {
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		return false
	}
	f, err := os.Open("/etc/os-release")
	if err != nil {
		return false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, _ := strings.Cut(lines.Text(), "="); key == "ID" || key == "ID_LIKE" {
			ids := strings.Fields(strings.Trim(value, `"`))
			if slices.Contains(ids, "debian") || slices.Contains(ids, "ubuntu") {
				return true
			}
		}
	}
	return false
}

// install installs the packages of the consumers, after another apt has finished.
func install(ctx context.Context, list []Consumer) error {
	var packages []string
	for _, c := range list {
		packages = append(packages, c.Packages...)
	}
	fmt.Fprintf(os.Stderr, "installing %s\n", strings.Join(packages, " "))
	for _, args := range [][]string{
		{"update", "-qq"},
		append([]string{"install", "-y", "-qq"}, packages...),
	} {
		cmd := exec.CommandContext(ctx, "apt-get",
			append([]string{"-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3", "-o", "Dpkg::Use-Pty=0"},
				args...)...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("apt-get %s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}
