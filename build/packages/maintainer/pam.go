package maintainer

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// pamKinds are the files /etc/pam.d/common-KIND that pam-auth-update writes.
var pamKinds = []string{"auth", "account", "password", "session", "session-noninteractive"}

// pamProfile is a file of /usr/share/pam-configs: its fields.
type pamProfile map[string]string

// pamUpdate is pam-auth-update, of which the real one is a script for Perl: the profiles that
// packages bring are put into the files of /etc/pam.d. Files that were edited are refused.
func pamUpdate(c *call) (int, error) {
	removed := c.args // of --remove
	if len(removed) > 0 && !c.has("remove") {
		return 0, unknownOption(removed[0])
	}
	profiles, sorted, err := c.pamProfiles(removed)
	if err != nil {
		return 0, err
	}
	text, _, err := c.read("/var/lib/pam/seen")
	if err != nil {
		return 0, err
	}
	seen := lines(text)
	before, fresh, err := c.pamEnabled()
	if err != nil {
		return 0, err
	}
	if fresh && !c.has("force") {
		return 0, errors.New("finds no state of its own, and is not forced: " + instead)
	}
	enabled := slices.DeleteFunc(slices.Clone(sorted), func(name string) bool {
		was := slices.Contains(before, name)
		return !was && (profiles[name]["Default"] != "yes" || len(before) > 0 && slices.Contains(seen, name))
	})
	for _, name := range enabled {
		if profiles[name]["Conflicts"] != "" {
			return 0, errors.New("finds profiles that exclude others, which is not known here: " + instead)
		}
	}
	if err := c.write("/var/lib/pam/seen", []byte(strings.Join(append(sorted, ""), "\n")), 0o644); err != nil {
		return 0, err
	}
	for _, kind := range pamKinds {
		if err := c.pamWrite(kind, profiles, before, enabled, fresh); err != nil {
			return 0, err
		}
	}
	return 0, c.pamDebconf(profiles, sorted, enabled)
}

// pamProfiles reads the profiles, and sorts their names by priority.
func (c *call) pamProfiles(removed []string) (map[string]pamProfile, []string, error) {
	const dir = "/usr/share/pam-configs"
	all := map[string]pamProfile{}
	names, err := c.r.t.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	field := regexp.MustCompile(`^(\S+):\s+(.*?)\s*$`)
	for _, name := range names {
		text, _, err := c.read(dir + "/" + name)
		if err != nil {
			return nil, nil, err
		}
		p, last := pamProfile{}, ""
		for _, line := range lines(text) {
			if m := field.FindStringSubmatch(line + "\n"); m != nil {
				last = strings.TrimSuffix(m[1], "-Final")
				p[last] = m[2]
			} else if line = strings.TrimSpace(line); line != "" {
				p[last] = strings.TrimLeft(p[last]+"\n"+line, " \n")
			}
		}
		if _, only := p["Session-Interactive-Only"]; !only {
			for _, end := range []string{"-Type", "", "-Initial"} {
				p["Session-noninteractive"+end] = p["Session"+end]
			}
		}
		all[name] = p
	}
	sorted := slices.DeleteFunc(sortedKeys(all), func(n string) bool { return slices.Contains(removed, n) })
	slices.SortFunc(sorted, func(a, b string) int {
		x, _ := strconv.Atoi(all[a]["Priority"])
		y, _ := strconv.Atoi(all[b]["Priority"])
		return cmp.Or(y-x, strings.Compare(b, a))
	})
	return all, sorted, nil
}

// pamEnabled returns the profiles that were enabled. fresh reports that there is no state.
func (c *call) pamEnabled() (names []string, fresh bool, err error) {
	for _, kind := range pamKinds {
		text, there, err := c.read("/var/lib/pam/" + kind)
		if err != nil || !there {
			return nil, true, err
		}
		for _, line := range lines(text) {
			name, ok := strings.CutPrefix(line, "Module: ")
			if ok && name != "null" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names, false, nil
}

// block returns the lines of the profiles in one block, and what is kept in /var/lib/pam of it.
func pamBlock(kind, block string, profiles map[string]pamProfile, enabled []string) (out, kept []string) {
	upper := strings.ToUpper(kind[:1]) + kind[1:]
	type line struct{ mod, text string }
	var all []line
	first := true
	for _, mod := range enabled {
		p := profiles[mod]
		if p[upper+"-Type"] != block {
			continue
		}
		text := p[upper]
		if initial := p[upper+"-Initial"]; first && initial != "" {
			text = initial
		}
		first = false
		if text != "" {
			kept = append(kept, "Module: "+mod, text)
		}
		for _, l := range strings.Split(text, "\n") {
			if l != "" {
				all = append(all, line{mod, l})
			}
		}
	}
	kind = strings.TrimSuffix(kind, "-noninteractive")
	if len(all) == 0 && block == "Primary" {
		const permit = "[default=1]\t\t\tpam_permit.so"
		return []string{kind + "\t" + permit}, []string{"Module: null", permit}
	}
	count := len(all)
	if block == "Additional" {
		count--
	}
	module := regexp.MustCompile(`^((?:\[[^]]+\]|\w+)\s+\S+)\s*(.*)`)
	for _, l := range all {
		if m := module.FindStringSubmatch(l.text); m != nil {
			options := strings.Join(strings.Fields(m[2]), " ")
			l.text = strings.ReplaceAll(m[1], "end", strconv.Itoa(count)) + " " + options
		}
		out = append(out, kind+"\t"+l.text)
		count--
	}
	return out, kept
}

// pamFill puts the blocks of profiles into the text of a file.
func pamFill(text []byte, kind string, profiles map[string]pamProfile, enabled []string) (string, bool) {
	marks := []string{
		`# here are the per-package modules (the "Primary" block)`, "# here's the fallback if no module succeeds",
		`# and here are more per-package modules (the "Additional" block)`, "# end of pam-auth-update config",
	}
	var out []string
	at := 0
	for _, line := range lines(text) {
		if at < len(marks) && strings.HasPrefix(line, marks[at]) {
			out = append(out, line)
			if at%2 == 0 {
				block, _ := pamBlock(kind, []string{"Primary", "Additional"}[at/2], profiles, enabled)
				out = append(out, block...)
			}
			at++
		} else if at%2 == 0 {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n") + "\n", at == len(marks)
}

func (c *call) pamWrite(kind string, profiles map[string]pamProfile, before, enabled []string, fresh bool) error {
	file := "/etc/pam.d/common-" + kind
	text, there, err := c.read(file)
	if err != nil {
		return err
	}
	if was, ok := pamFill(text, kind, profiles, before); !fresh && (!ok || was != string(text)) {
		return errors.New("finds " + file + " edited, which is not known here: " + instead)
	}
	if there && c.has("force") {
		s, err := c.to(file)
		if err != nil {
			return err
		}
		if err := c.set(file+".pam-old", c.copied(s.n, nil)); err != nil {
			return err
		}
	}
	now, ok := pamFill(text, kind, profiles, enabled)
	if !ok {
		if text, _, err = c.read("/usr/share/pam/common-" + kind); err != nil {
			return err
		}
		if now, ok = pamFill(text, kind, profiles, enabled); !ok {
			return errors.New("finds no form of " + file + ": " + instead)
		}
	}
	_, primary := pamBlock(kind, "Primary", profiles, enabled)
	_, additional := pamBlock(kind, "Additional", profiles, enabled)
	kept := strings.Join(append(append(primary, additional...), ""), "\n")
	return first(c.write(file, []byte(now), 0o644), c.write("/var/lib/pam/"+kind, []byte(kept), 0o644))
}

// pamDebconf writes down what was chosen.
func (c *call) pamDebconf(profiles map[string]pamProfile, sorted, enabled []string) error {
	text, _, err := c.read(admin + "/info/libpam-runtime.templates")
	if err != nil {
		return err
	}
	outer := c.r.debconf
	if err := c.r.startDebconf(false); err != nil {
		return err
	}
	d := c.r.debconf
	d.load(parseTemplates(text), "libpam-runtime")
	var titles []string
	for _, n := range sorted {
		titles = append(titles, profiles[n]["Name"])
	}
	if q := d.config.items["libpam-runtime/profiles"]; q != nil {
		d.question("subst", "", q, []string{"profile_names", strings.Join(sorted, ", ")})
		d.question("subst", "", q, []string{"profiles", strings.Join(titles, ", ")})
		d.assign(q, strings.Join(enabled, ", "))
	}
	if q := d.config.items["libpam-runtime/override"]; q != nil {
		d.assign(q, "false")
	}
	if outer == nil {
		err = c.r.finishDebconf()
		c.r.debconf = nil
	}
	return err
}
