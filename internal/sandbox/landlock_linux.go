package sandbox

import (
	"fmt"
	"os"
	"slices"

	"github.com/landlock-lsm/go-landlock/landlock"
)

// landlock permits nothing but what the policy names: no other file, no TCP, no signals to
// processes outside. What an older kernel lacks of that, it permits.
func (p *policy) landlock() error {
	write := landlock.RWDirs(p.Write...)
	if p.Landlock >= 2 {
		write = write.WithRefer() // without, renaming from one directory to another copies
	}
	rules := []landlock.Rule{
		write, landlock.RODirs("/proc").IgnoreIfMissing(), landlock.RWFiles(devices...).IgnoreIfMissing(),
	}
	if p.Root == "" {
		rules = slices.Delete(rules, 1, 2) // all processes are there
	}
	for _, path := range slices.Concat(p.Read, p.System) {
		rules = append(rules, readable(path))
	}
	if err := landlock.V11.BestEffort().Restrict(rules...); err != nil {
		return fmt.Errorf("restricting files by Landlock: %w", err)
	}
	return nil
}

// readable permits to read a file or directory, if it is there.
func readable(path string) landlock.Rule {
	if fi, err := os.Stat(path); err == nil && !fi.IsDir() {
		return landlock.ROFiles(path).IgnoreIfMissing()
	}
	return landlock.RODirs(path).IgnoreIfMissing()
}
