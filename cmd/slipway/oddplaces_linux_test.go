package main

// oddPlace is a file that commands read, with the cheapest of these first.
type oddPlace struct {
	file     string // with * for all that match
	commands []string
	bare     bool // there is no slipway.yaml
}

var oddPlaces = []oddPlace{
	{file: "p/slipway.yaml", commands: []string{"check"}},
	{file: "p/.ko.yaml", commands: []string{"check"}},
	{file: "p/text.txt", commands: []string{"stage build"}},
	{file: "p/kodata/data.txt", commands: []string{"stage build"}},
	{file: "lib/go.mod", commands: []string{"stage build"}},
	{file: "lib/lib.go", commands: []string{"stage build"}},
	{file: "p/.gitignore", commands: []string{"stage build", "check"}},
	{file: "p/.gitattributes", commands: []string{"stage build"}},
	{file: "p/.gitmodules", commands: []string{"stage build"}},
	{file: "p/inner/.gitignore", commands: []string{"stage build"}},
	{file: "p/inner/.gitattributes", commands: []string{"stage build"}},
	{file: "p/.git/HEAD", commands: []string{"stage build"}},
}
