"""Base class of tests of the program: each test gets a temporary folder, which is removed afterwards."""
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
