package git

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/once"
	"github.com/slipway-dev/slipway/internal/regular"
)

// maxSettings bounds the configuration of a repository.
const maxSettings = 16 << 20

// kept are the settings that decide which files differ and what they contain, and that name no
// program and no address. All others are missing in the view, those of later versions of git,
// too.
var kept = []string{
	"core.autocrlf", "core.checkroundtripencoding", "core.eol", "core.filemode", "core.ignorecase",
	"core.precomposeunicode",
	"core.protecthfs", "core.protectntfs", "core.sparsecheckout", "core.sparsecheckoutcone", "core.symlinks",
	"extensions.objectformat",
}

// files are the settings that name files of patterns, with those that git takes without them.
var files = map[string]string{"core.excludesfile": "ignore", "core.attributesfile": "attributes"}

// filters are the programs that .gitattributes may ask for, and that are not run.
var filters = lazyregexp.New(`^filter\.(.+)\.(?:clean|process)$`)

// settings are those of a view.
type settings struct {
	values  map[string]string
	filters map[string]bool // those that have a program
}

// lists are what git has listed: of the user by the environment, which names the files of that, and
// of repositories by their text.
var lists once.Map[string]

// readSettings reads the settings of the user, and then those of the repository, which win. scratch
// is the directory of the view, where git finds no others.
func readSettings(ctx context.Context, p place, scratch string) (*settings, error) {
	s := &settings{map[string]string{}, map[string]bool{}}
	for name, base := range files {
		s.values[name] = defaultFile(base)
	}
	list, err := lists.Succeed(strings.Join(os.Environ(), "\x00"), func() (string, error) {
		return command(ctx, scratch, users([]string{"GIT_DIR=" + scratch}), "", "config", "-z", "--list")
	})
	if err != nil {
		return nil, err
	}
	s.take(list)
	text, err := regular.ReadMost(filepath.Join(p.common, "config"), maxSettings)
	if missing(err) || err == nil && len(text) == 0 {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	list, err = lists.Succeed("text\x00"+string(text), func() (string, error) {
		return command(ctx, scratch, clean([]string{"GIT_DIR=" + scratch}), string(text), "config",
			"-z", "--no-includes", "--file=-", "--list")
	})
	if err != nil {
		return nil, err
	}
	s.take(list)
	if format := s.values["extensions.refstorage"]; format != "" && format != "files" {
		return nil, fmt.Errorf("git: the repository keeps refs as %q, which is not supported: "+
			"convert it with git refs migrate --ref-format=files", format)
	}
	return s, nil
}

// take takes the settings to keep from a list of git: NAME, a line break, VALUE, NUL.
func (s *settings) take(list string) {
	for entry := range strings.SplitSeq(list, "\x00") {
		name, value, ok := strings.Cut(entry, "\n")
		if !ok {
			value = "true"
		}
		if m := filters.FindStringSubmatch(name); m != nil && value != "" {
			s.filters[m[1]] = true
		}
		switch {
		case slices.Contains(kept, name), name == "extensions.refstorage":
			s.values[name] = value
		case files[name] != "":
			s.values[name] = home(value)
		}
	}
}

// defaultFile is the file that git reads where a setting names none.
func defaultFile(base string) string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "git", base)
	}
	return home("~/.config/git/" + base)
}

// home expands a path as git does, but for those of other users.
func home(path string) string {
	dir, err := os.UserHomeDir()
	if rest, ok := strings.CutPrefix(path, "~/"); ok && err == nil {
		return filepath.Join(dir, rest)
	}
	return path
}

// quoted escapes a value for a configuration.
var quoted = strings.NewReplacer("\\", `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`, "\x00", "")

// config returns the configuration of the view.
func (s *settings) config(bare bool) string {
	var b strings.Builder
	version := 0
	if s.values["extensions.objectformat"] != "" {
		version = 1
	}
	fmt.Fprintf(&b, "[core]\n\trepositoryformatversion = %d\n\tbare = %v\n\tfsmonitor = false\n\thooksPath = %q\n",
		version, bare, os.DevNull)
	b.WriteString("[submodule]\n\trecurse = false\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n")
	for _, name := range slices.Sorted(maps.Keys(s.values)) {
		value := s.values[name]
		if files[name] != "" {
			if fi, err := os.Stat(value); err != nil || !fi.Mode().IsRegular() {
				value = os.DevNull // a pipe would never end
			}
		}
		section, key, _ := strings.Cut(name, ".")
		if name != "extensions.refstorage" {
			fmt.Fprintf(&b, "[%s]\n\t%s = \"%s\"\n", section, key, quoted.Replace(value))
		}
	}
	return b.String()
}
