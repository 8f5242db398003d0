"""Base class for tests that run a program. Each test gets a temporary folder, which is removed after the test."""
import os
import tempfile
import unittest


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)
