package system

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// deluser is Debian's, or BusyBox's where the system has that.
func deluser(ctx context.Context, s *System, args []string, _ io.Writer) error {
	return s.delete(ctx, "deluser", args)
}

// delgroup is Debian's, or BusyBox's where the system has that.
func delgroup(ctx context.Context, s *System, args []string, _ io.Writer) error {
	return s.delete(ctx, "delgroup", args)
}

func (s *System) delete(ctx context.Context, me string, args []string) error {
	switch variant, err := s.variant(me); {
	case err != nil:
		return err
	case variant == "busybox":
		return s.busyDelete(me, args)
	case variant == "userdel" || variant == "groupdel":
		return programs[variant](ctx, s, args, io.Discard)
	}
	list, names, err := syntax{
		program: me, letters: "c:q",
		long: "quiet=q debug verbose group conf=c system only-if-empty remove-home no-preserve-root",
	}.parse(args)
	if err != nil {
		return err
	}
	has := map[string]bool{}
	files := []string{"/etc/adduser.conf", "/etc/deluser.conf"}
	for _, o := range list {
		if o.key == "c" && !has["c"] {
			files = nil
		}
		if has[o.key] = true; o.key == "c" {
			files = append(files, o.value)
		}
	}
	if len(names) == 0 || len(names) > 2 || names[0] == "" {
		return fail(me, 1, "Only one or two names allowed.")
	}
	config, err := s.settings(files...)
	if err != nil {
		return err
	}
	for _, key := range []string{"remove_all_files", "backup"} {
		if number(config[key]) != 0 {
			return fmt.Errorf("%s: %s of /etc/deluser.conf is not known here: use userdel", me, strings.ToUpper(key))
		}
	}
	for _, key := range []string{"system", "only_if_empty", "remove_home"} {
		has[key] = has[strings.ReplaceAll(key, "_", "-")] || number(config[key]) != 0
	}
	d := &debianAdd{ctx: ctx, s: s, o: &debianOptions{has: has, config: config}, me: me}
	if d.a, err = s.accounts(); err != nil {
		return err
	}
	switch {
	case len(names) == 2:
		return d.leave(names[0], names[1])
	case me == "delgroup" || has["group"]:
		return d.deleteGroup(names[0])
	}
	return d.deleteUser(names[0])
}

func (d *debianAdd) leave(user, group string) error {
	u, g := d.a.user(user), d.a.group.find(group)
	switch {
	case u == nil:
		return fail(d.me, 2, "The user `%s' does not exist.", user)
	case g == nil:
		return fail(d.me, 3, "The group `%s' does not exist.", group)
	case u[fieldGID] != "0" && u[fieldGID] == g[fieldGroupID]:
		return fail(d.me, 7, "You may not remove the user from their primary group.")
	case !contains(g[fieldMembers], user):
		return fail(d.me, 6, "The user `%s' is not a member of group `%s'.", user, group)
	}
	var list []string
	for _, m := range members(g[fieldMembers]) {
		if m != user && d.a.user(m) != nil {
			list = append(list, m)
		}
	}
	return d.call(gpasswd, "-M", strings.Join(list, ","), group)
}

func (d *debianAdd) deleteGroup(name string) error {
	g := d.a.group.find(name)
	switch {
	case g == nil && d.o.has["system"]:
		return nil
	case g == nil:
		return fail(d.me, 3, "The group `%s' does not exist.", name)
	case d.o.has["system"] && !d.inRange(g[fieldGroupID], "gid"):
		return fail(d.me, 3, "The group `%s' is not a system group. Exiting.", name)
	case d.o.has["only_if_empty"] && g[fieldMembers] != "":
		return fail(d.me, 5, "The group `%s' is not empty!", name)
	}
	return d.call(groupdel, name)
}

func (d *debianAdd) inRange(id, kind string) bool {
	n := number(id)
	return n >= number(d.o.config["first_system_"+kind]) && n <= number(d.o.config["last_system_"+kind])
}

func (d *debianAdd) deleteUser(name string) error {
	u := d.a.user(name)
	switch {
	case u == nil && d.o.has["system"]:
		return nil
	case u == nil:
		return fail(d.me, 2, "The user `%s' does not exist.", name)
	case d.o.has["system"] && !d.inRange(u[fieldUID], "uid"):
		return fail(d.me, 1, "The user `%s' is not a system user. Exiting.", name)
	case number(u[fieldUID]) == 0 && !d.o.has["no-preserve-root"]:
		return fail(d.me, 9, "You are just about to delete the root account (uid 0)")
	}
	if d.o.has["remove_home"] {
		if err := d.removeHome(u); err != nil {
			return err
		}
	}
	if ok, err := d.s.is("/usr/local/sbin/deluser.local", layer.Regular); ok || err != nil {
		return fmt.Errorf("%s: /usr/local/sbin/deluser.local is a program, and none is run here: use userdel", d.me)
	}
	return d.call(userdel, name)
}

// removeHome removes the files in the home directory, and the mailbox.
func (d *debianAdd) removeHome(u []string) error {
	for _, p := range []string{"/var/mail/" + u[0], u[fieldHome]} {
		at, n, err := tree.Resolve(d.s.Tree, p)
		if err != nil {
			return err
		}
		if n == nil || at == "/" || at == d.o.config["dhome"] {
			continue
		}
		if err := d.s.Tree.Erase(at); err != nil {
			return err
		}
	}
	return nil
}

// sortedKeys returns the keys of a map in their order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
