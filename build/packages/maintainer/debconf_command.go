package maintainer

import (
	"slices"
	"strings"
)

// The statuses of debconf's answers.
const (
	badParams   = 10
	syntaxError = 20
	invisible   = 30
	versionBad  = 30
)

// debconfCommand is db_get and its like: it leaves the answer in $RET.
func debconfCommand(c *call) (int, error) {
	verb := strings.ToLower(strings.TrimPrefix(c.Args[0], "db_"))
	words := strings.Fields(strings.Join(c.args, " "))
	if c.r.debconf.escape {
		words = escapedFields(strings.Join(c.args, " "))
	}
	switch verb {
	case "stop":
		return 0, nil
	case "text":
		verb = "input"
	}
	status, ret, err := c.answer(verb, words)
	if err != nil {
		return 0, err
	}
	if status == 1 { // escaped data
		status = 0
	} else if line, _, cut := strings.Cut(ret, "\n"); cut && !c.r.debconf.escape {
		ret = line
	}
	return status, c.Shell.Set("RET", ret)
}

// escapedFields separates words as debconf does where the script has said CAPB escape.
func escapedFields(text string) []string {
	var all []string
	var b strings.Builder
	for n := 0; n < len(text); n++ {
		switch c := text[n]; {
		case c == '\\' && n+1 < len(text):
			if n++; text[n] == 'n' {
				b.WriteByte('\n')
			} else {
				b.WriteByte(text[n])
			}
		case c == ' ' || c == '\t' || c == '\n':
			if b.Len() > 0 {
				all = append(all, b.String())
			}
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	if b.Len() > 0 {
		all = append(all, b.String())
	}
	return all
}

// answer carries out a command of debconf's protocol (debconf-devel(7)).
func (c *call) answer(verb string, words []string) (int, string, error) {
	d := c.r.debconf
	switch verb {
	case "version":
		if len(words) > 0 && !strings.HasPrefix(words[0], "2") {
			return versionBad, "Version too low (" + words[0] + ")", nil
		}
		return 0, "2.0", nil
	case "capb":
		d.escape = slices.Contains(words, "escape")
		return 0, "multiselect escape", nil
	case "title", "settitle", "beginblock", "endblock", "clear", "info":
		return 0, "", nil
	case "progress":
		return 0, "OK", nil
	case "go":
		d.go_()
		return 0, "ok", nil
	case "purge":
		for _, name := range sortedKeys(d.config.items) {
			d.disown(name)
		}
		return 0, "", nil
	case "x_loadtemplatefile":
		if len(words) == 0 {
			return syntaxError, "Incorrect number of arguments", nil
		}
		text, there, err := c.read(words[0])
		if err != nil || !there {
			return badParams, "failed to open " + words[0], err
		}
		owner := d.owner
		if len(words) > 1 {
			owner = words[1]
		}
		d.load(parseTemplates(text), owner)
		return 0, "", nil
	case "register":
		return c.register(words)
	case "input":
		if len(words) > 1 {
			words = []string{words[1], words[0]}
		}
	case "get", "set", "reset", "subst", "unregister", "metaget", "fget", "fset", "exist", "visible":
	default:
		return syntaxError, "Unsupported command \"" + verb + "\"", nil
	}
	if len(words) == 0 {
		return syntaxError, "Incorrect number of arguments", nil
	}
	q := d.config.items[words[0]]
	if verb == "exist" {
		return 0, map[bool]string{true: "true", false: "false"}[q != nil], nil
	}
	if q == nil {
		return badParams, words[0] + " doesn't exist", nil
	}
	status, ret := d.question(verb, words[0], q, words[1:])
	return status, ret, nil
}

// question carries out a command about one question.
func (d *session) question(verb, name string, q *item, words []string) (int, string) {
	text := func(s string) (int, string) {
		if d.escape {
			return 1, s
		}
		return 0, s
	}
	switch verb {
	case "get":
		return text(d.value(q))
	case "set":
		d.assign(q, strings.Join(words, " "))
		return 0, "value set"
	case "reset":
		d.assign(q, d.meta(q, "default"))
		q.flags["seen"] = false
	case "visible":
		return 0, "false"
	case "input":
		if len(words) != 1 || !slices.Contains([]string{"low", "medium", "high", "critical"}, words[0]) {
			return syntaxError, "not a valid priority"
		}
		d.asked = append(d.asked, name)
		return invisible, "question skipped"
	case "unregister":
		if slices.Contains(d.asked, name) {
			return badParams, name + " is busy, cannot unregister right now"
		}
		d.disown(name)
	case "subst", "metaget", "fget":
		if len(words) == 0 {
			return syntaxError, "Incorrect number of arguments"
		}
		switch verb {
		case "subst":
			if v := strings.Join(words[1:], " "); q.vars[words[0]] != v || !d.has(q.vars, words[0]) {
				q.vars[words[0]], d.config.dirty = v, true
			}
			return 0, ""
		case "metaget":
			return text(d.metaText(name, q, strings.ToLower(words[0])))
		}
		return 0, map[bool]string{true: "true", false: "false"}[q.flags[words[0]]]
	case "fset":
		if len(words) < 2 {
			return syntaxError, "Incorrect number of arguments"
		}
		if on := strings.Join(words[1:], " ") == "true"; q.flags[words[0]] != on {
			q.flags[words[0]], d.config.dirty = on, true
		}
		return 0, strings.Join(words[1:], " ")
	}
	return 0, ""
}

func (d *session) has(m map[string]string, k string) bool { _, ok := m[k]; return ok }

// metaText is what METAGET answers.
func (d *session) metaText(name string, q *item, field string) string {
	switch field {
	case "owners":
		return strings.Join(sortedKeys(q.owners), ", ")
	case "value":
		return d.value(q)
	case "name":
		return name
	}
	return expandVariables(q, d.meta(q, field))
}

// assign gives a question a value.
func (d *session) assign(q *item, value string) {
	if old, ok := q.fields["value"]; !ok || old != value {
		q.fields["value"], d.config.dirty = value, true
	}
}

// go_ answers what was asked as the frontend does that asks nobody.
func (d *session) go_() {
	for _, name := range d.asked {
		q := d.config.items[name]
		if q == nil {
			continue
		}
		value := d.value(q)
		switch d.meta(q, "type") {
		case "text", "error", "title":
			value = ""
		case "select":
			if all := d.choices(q); !slices.Contains(all, value) {
				if value = ""; len(all) > 0 {
					value = all[0]
				}
			}
		}
		d.assign(q, value)
	}
	d.asked = nil
}

// register makes a question of a template.
func (c *call) register(words []string) (int, string, error) {
	d := c.r.debconf
	if len(words) != 2 {
		return syntaxError, "Incorrect number of arguments", nil
	}
	template := d.config.items[words[0]]
	if template == nil {
		return badParams, "No such template, \"" + words[0] + "\"", nil
	}
	q := d.config.items[words[1]]
	if q == nil {
		q = newItem()
		d.config.items[words[1]] = q
	}
	if !q.owners[d.owner] || q.fields["template"] != words[0] {
		q.owners[d.owner], d.config.dirty = true, true
		q.fields["template"] = words[0]
		if t := d.templates.items[words[0]]; t != nil {
			t.owners[words[1]], d.templates.dirty = true, true
		}
	}
	return 0, "", nil
}

// disown takes a question from the package. A question that nobody owns is gone, and a template
// without questions, too.
func (d *session) disown(name string) {
	q := d.config.items[name]
	if q == nil || !q.owners[d.owner] {
		return
	}
	d.config.dirty = true
	if delete(q.owners, d.owner); len(q.owners) > 0 {
		return
	}
	delete(d.config.items, name)
	t := d.templates.items[q.fields["template"]]
	if t == nil {
		return
	}
	d.templates.dirty = true
	if delete(t.owners, name); len(t.owners) == 0 {
		delete(d.templates.items, q.fields["template"])
	}
}
