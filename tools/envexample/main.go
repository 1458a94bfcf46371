// Envexample writes .env.example: every variable of the program and of its networks, with its help and its default:
//
//	go run ./tools/envexample .env.example
package main

import (
	"fmt"
	"os"

	"belfry/internal/config"
	"belfry/internal/network/all"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: envexample FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], []byte(text()), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "envexample:", err)
		os.Exit(1)
	}
}

func text() string {
	var extra []config.Variable
	for _, driver := range all.Drivers() {
		for _, v := range driver.Variables {
			extra = append(extra, config.Variable(v))
		}
	}
	return config.FormatEnvExample(extra)
}
