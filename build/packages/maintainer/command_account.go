package maintainer

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// updatePasswd is update-passwd of base-passwd where it has nothing to change: every account of
// Debian's lists is as they have it.
func updatePasswd(c *call) (int, error) {
	for _, name := range []string{"passwd", "group"} {
		master, _, err := c.read("/usr/share/base-passwd/" + name + ".master")
		if err != nil {
			return 0, err
		}
		text, _, err := c.read("/etc/" + name)
		if err != nil {
			return 0, err
		}
		have := map[string][]string{}
		for _, line := range lines(text) {
			f := strings.Split(line, ":")
			have[f[0]] = f
		}
		for _, line := range lines(master) {
			want := strings.Split(line, ":")
			got := have[want[0]]
			same := len(got) > 3 && len(want) > 3 && got[2] == want[2]
			if !same || name == "passwd" && !slices.Equal(got[3:], want[3:]) {
				return 0, fmt.Errorf("would change the account %s in /etc/%s, which is not known here: %s",
					want[0], name, instead)
			}
		}
	}
	return 0, nil
}

// pwconv is pwconv and grpconv: passwords move to files that only root reads.
func pwconv(c *call) (int, error) {
	from, to := "/etc/passwd", "/etc/shadow"
	tail := ":" + strconv.Itoa(c.r.Day) + ":0:99999:7:::"
	if path.Base(c.Args[0]) == "grpconv" {
		from, to, tail = "/etc/group", "/etc/gshadow", "::"
	}
	text, there, err := c.read(from)
	if err != nil {
		return 0, err
	}
	if !there {
		return c.fail("cannot open %s", from)
	}
	secret, _, err := c.read(to)
	if err != nil {
		return 0, err
	}
	known := map[string]bool{}
	for _, line := range lines(secret) {
		name, _, _ := strings.Cut(line, ":")
		known[name] = true
	}
	list, secrets := lines(text), lines(secret)
	for n, line := range list {
		f := strings.Split(line, ":")
		if len(f) < 4 || known[f[0]] {
			continue
		}
		end := tail
		if to == "/etc/gshadow" {
			end += f[3]
		}
		secrets = append(secrets, f[0]+":"+f[1]+end)
		f[1] = "x"
		list[n] = strings.Join(f, ":")
	}
	if err := c.write(to, []byte(strings.Join(secrets, "\n")+"\n"), 0o600); err != nil {
		return 0, err
	}
	return 0, c.write(from, []byte(strings.Join(list, "\n")+"\n"), 0o644)
}
