package script

import (
	"slices"
	"strings"
)

// Cmd reads a line for cmd.exe: commands joined by && or &, quotes, %VARIABLES%.
func Cmd(source string, env Environment) ([]Command, error) {
	var r refusals
	line := r.percent(source, env)
	if i := strings.IndexAny(line, "^!\n\r"); i >= 0 {
		r.add(line[i:i+1], "%q has a meaning of its own in cmd that is not supported: write the line without it",
			line[i:i+1])
		return nil, r.err()
	}
	var commands []Command
	var c Command
	var word strings.Builder
	some, quoted := false, false
	endWord := func() {
		if some {
			c.Args = append(c.Args, Word{Text: word.String()})
		}
		word.Reset()
		some = false
	}
	endCommand := func() {
		endWord()
		if len(c.Args) == 0 {
			r.add("&", "a command is missing next to &")
		} else {
			commands = append(commands, c)
		}
		c = Command{}
	}
	for i := 0; i < len(line); i++ {
		ch := line[i]
		switch {
		case ch == '"':
			if quoted && i > 0 && line[i-1] == '\\' {
				r.add(`\"`, `\" is a quote for programs and the end of the words for cmd: leave the backslash out`)
			}
			quoted, some = !quoted, true
		case quoted:
			word.WriteByte(ch)
		case ch == ' ' || ch == '\t':
			endWord()
		case ch == '&':
			if strings.HasPrefix(line[i:], "&&") {
				i++
			}
			endCommand()
		case strings.IndexByte("|<>()", ch) >= 0, strings.IndexByte(";=,", ch) >= 0 && !c.external():
			r.add(string(ch), "%c is not supported in a line for cmd: "+
				"write plain commands joined by &&, and put what has other characters in quotes", ch)
			return nil, r.err()
		default:
			word.WriteByte(ch)
			some = true
		}
	}
	if quoted {
		r.add(`"`, "a quote does not end")
	}
	endCommand()
	if len(commands) > maxCommands {
		r.add("", "it has more than %d commands: use several RUN", maxCommands)
	}
	return commands, r.err()
}

// external reports whether a command is a program, which reads its words itself: only for the
// commands of cmd do semicolons, commas and equals signs separate words.
func (c *Command) external() bool {
	if len(c.Args) == 0 {
		return false
	}
	name := strings.TrimSuffix(strings.ToLower(c.Args[0].Text), ".exe")
	return slices.Contains([]string{"setx", "tar", "powershell", "pwsh"}, name)
}

// percent expands %NAME%. A name that is not set stays as it is written, as in cmd /C.
func (r *refusals) percent(line string, env Environment) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(line, '%')
		if i < 0 {
			break
		}
		end := strings.IndexByte(line[i+1:], '%')
		if end < 0 {
			break
		}
		name := line[i+1 : i+1+end]
		value, ok, err := env(name)
		if err != nil {
			r.add("%"+name+"%", "%w", err)
		}
		if !ok || end == 0 {
			b.WriteString(line[:i+1])
			line = line[i+1:]
			continue
		}
		b.WriteString(line[:i] + value)
		line = line[i+1+end+1:]
	}
	return b.String() + line
}
